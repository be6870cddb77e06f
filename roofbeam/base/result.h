// SPDX-License-Identifier: Apache-2.0
// How every fallible call answers. Exceptions stop at the wrapper file of the library that throws.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace roofbeam {

// What kind of failure; cli/ turns it into the exit code CLI.md promises.
enum class ErrorCode {
  failed,       // it was tried and did not work, or the device or memory is not there
  usage,        // wrong usage or unreadable input
  cannot_tell,  // the question cannot be answered, or a claim is impossible
  interrupted,  // the user asked to stop
};

struct Error {
  ErrorCode code = ErrorCode::failed;
  std::string what;   // a sentence without its full stop
  std::string where;  // file:byte, field or option; empty where there is none
  std::string hint;   // what to try; empty where there is nothing to say

  bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
inline tl::unexpected<Error> failed(std::string what, std::string where = "",
                                    std::string hint = "") {
  return fail({ErrorCode::failed, std::move(what), std::move(where), std::move(hint)});
}
inline tl::unexpected<Error> usage_error(std::string what, std::string where = "",
                                         std::string hint = "") {
  return fail({ErrorCode::usage, std::move(what), std::move(where), std::move(hint)});
}

}  // namespace roofbeam
