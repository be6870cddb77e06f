// SPDX-License-Identifier: Apache-2.0
// From each answer to the document a person reads: a file per answer.
#pragma once

#include "roofbeam/answer/amdahl_answer.h"
#include "roofbeam/answer/compare_answer.h"
#include "roofbeam/answer/devices_answer.h"
#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/answer/matmul_answer.h"
#include "roofbeam/answer/points_answer.h"
#include "roofbeam/answer/tour_answer.h"
#include "roofbeam/hardware/known.h"
#include "roofbeam/report/document.h"

namespace roofbeam {

Document document(const AmdahlAnswer& answer);
Document document(const CompareAnswer& answer);
Document document(const DevicesAnswer& answer);
Document document(const MachineAnswer& answer);
Document document(const MatmulAnswer& answer);
Document document(const PointsAnswer& answer);
Document document(const TourAnswer& answer);

// points_report.cc: what tables and pictures of points have in common.
Table points_table(const std::vector<Point>& points);
Chart points_chart(const DrawnRoof& roof, const std::vector<Point>& points,
                   const std::string& title);
void add_predictions(Document& document, const PredictionSummary& summary);

// Every ceiling of a device, a table for each class, and what could not be measured.
// machine_tables.cc
void add_ceilings(Document& document, const DeviceProfile& device);
// The roof of the whole device: a slope for each memory under flat lines of arithmetic. No series
// where one of the two is missing. roof_chart.cc
Chart roof_chart(const DeviceProfile& device);
Chart roof_chart(const DrawnRoof& roof, const std::string& title,
                 const std::vector<double>& intensities);
// What shows where one memory ends and the next begins; no series where it was not measured.
Chart sweep_chart(const DeviceProfile& device);
// Devices as rows of one table, and what each is good at beside the first. beside_report.cc
void add_beside(Document& document, const std::vector<MachineAnswer::Beside>& devices);

// Three or fewer in full, more as one table. known_report.cc
void add_known(Document& document, const std::vector<KnownDevice>& devices);

// The verdict as every document shows it: what binds, first; later why, and what to do.
// verdict_report.cc
void add_verdict_sentence(Document& document, const Verdict& verdict);
void add_reasons_and_remedies(Document& document, const Verdict& verdict);
// Warnings, and what makes the standing less than usable.
void add_state(Document& document, const AnswerState& state);

}  // namespace roofbeam
