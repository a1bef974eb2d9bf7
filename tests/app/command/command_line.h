#pragma once

#include <QFile>
#include <QProcess>
#include <QTest>

#include <nlohmann/json.hpp>

#include "tests/app/session/own_places.h"
#include "tests/generator/generator.h"
#include "tests/support/temporary_folder.h"

namespace jitterscope::app {

using nlohmann::json;

struct Outcome {
  int code = -1;
  QString out, err;
  json document() const { return json::parse(out.toStdString(), nullptr, false); }
};

inline QString real_data(const char* relative) {
  const QString path = QString(JITTERSCOPE_DATA_DIR) + "/" + relative;
  return QFile::exists(path) ? path : QString();
}

/// Runs the program by its command line, in a folder of its own with a trace of 5,000 launches.
struct CommandLine {
  test::TemporaryFolder folder_;
  QString trace_ = QString::fromStdString(folder_.file("trace.sqlite"));

  QString cache_ = QString::fromStdString(folder_.file("cache"));

  Outcome run(const QStringList& arguments, const QString& output = {}) {
    QProcess process;
    if (!output.isEmpty()) process.setStandardOutputFile(output, QIODevice::Append);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("JITTERSCOPE_CACHE", cache_);
    process.setProcessEnvironment(environment);
    process.start(JITTERSCOPE_PROGRAM, arguments);
    process.waitForFinished(180000);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }
  QString file(const char* name) { return QString::fromStdString(folder_.file(name)); }

  QString generated(generator::Cause cause, const char* name) {
    generator::Options options;
    options.launches = 8000;
    options.seed = 11;
    options.causes = {cause};
    const QString path = file(name);
    if (!generator::generate(options, path.toStdString(), {})) return {};
    return path;
  }

  void make_trace() {
    generator::Options options;
    options.launches = 5000;
    QVERIFY(generator::generate(options, trace_.toStdString(), {}).has_value());
  }
};

} // namespace jitterscope::app
