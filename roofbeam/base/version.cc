// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/version.h"

namespace roofbeam {

std::string_view version() {
  return ROOFBEAM_VERSION;
}

}  // namespace roofbeam
