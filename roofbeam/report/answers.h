// SPDX-License-Identifier: Apache-2.0
// From each answer to the document a person reads: a file per answer.
#pragma once

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/hardware/known.h"
#include "roofbeam/report/document.h"

namespace roofbeam {

Document document(const AmdahlAnswer& answer);
Document document(const DevicesAnswer& answer);
Document document(const MatmulAnswer& answer);

// Three or fewer in full, more as one table. known_report.cc
void add_known(Document& document, const std::vector<KnownDevice>& devices);

// The verdict as every document shows it: what binds, first; later why, and what to do.
// verdict_report.cc
void add_verdict_sentence(Document& document, const Verdict& verdict);
void add_reasons_and_remedies(Document& document, const Verdict& verdict);
// Warnings, and what makes the standing less than usable.
void add_state(Document& document, const AnswerState& state);

}  // namespace roofbeam
