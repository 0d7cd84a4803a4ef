package io.ntrail.cli.info;

import io.ntrail.analysis.etw.events.Overview;
import io.ntrail.analysis.etw.events.ProviderCounts;
import io.ntrail.analysis.etw.machine.MachineCounts;
import io.ntrail.analysis.etw.machine.Sampling;
import io.ntrail.analysis.etw.machine.SystemConfiguration;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.EtwSummary;
import io.ntrail.cli.common.EventIds;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.RecordKind;

/** {@code ntrail info} for programs. */
final class InfoJson {
  private InfoJson() {}

  /** One object about all files. */
  static void print(EtwRecording recording, Overview overview, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.info/1").array("files");
      for (EtwSummary.Part part : overview.summary().files()) {
        file(json, part);
      }
      json.endArray();
      part(json, overview.summary().total());
      machine(json, WindowsMachine.of(recording, overview.hardware()));
      sampling(json, overview.sampling());
      contents(json, overview.contents(), overview.sources());
      sources(json, overview.sources());
      if (overview.pieces().count() > 0) {
        TracePiecesAnswer.json(json, overview.pieces());
      }
      Losses.omissions(json, recording).gaps(recording.gaps()).endObject();
    }
  }

  /** An object a file. */
  static void lines(EtwSummary summary, Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      for (EtwSummary.Part part : summary.files()) {
        file(json, part);
      }
    }
  }

  private static void file(Json json, EtwSummary.Part part) {
    json.object().text("file", part.name()).text("kind", "etl");
    part(json, part);
    json.endObject();
  }

  /** A line a file. */
  static void csv(EtwSummary summary, Terminal terminal) {
    Csv csv = new Csv(terminal.out());
    csv.row(
        "file",
        "kind",
        "records",
        "buffers",
        "compressedBuffers",
        "cpusSeen",
        "cpusConfigured",
        "lostEvents",
        "lostBuffers",
        "firstUtc",
        "lastUtc");
    for (EtwSummary.Part part : summary.files()) {
      csv.row(
          part.name(),
          "etl",
          Long.toString(part.records()),
          Integer.toString(part.buffers()),
          Integer.toString(part.compressedBuffers()),
          Integer.toString(part.cpus().cardinality()),
          part.cpusConfigured() == 0 ? "" : Long.toString(part.cpusConfigured()),
          Long.toString(part.eventsLost()),
          Long.toString(part.buffersLost()),
          Csv.orEmpty(Numbers.utc(part.firstFileTime())),
          Csv.orEmpty(Numbers.utc(part.lastFileTime())));
    }
  }

  private static void part(Json json, EtwSummary.Part part) {
    json.number("records", part.records())
        .number("buffers", part.buffers())
        .number("compressedBuffers", part.compressedBuffers())
        .object("recordsByHeader");
    for (RecordKind kind : RecordKind.values()) {
      long count = part.recordsByKind()[kind.ordinal()];
      if (count > 0) {
        json.number(kind.name(), count);
      }
    }
    json.endObject().object("cpus").number("seen", part.cpus().cardinality());
    known(json, "configured", part.cpusConfigured());
    json.endObject()
        .lost(part.eventsLost(), part.buffersLost(), part.neverFinalised(), part.buffersAfterLoss())
        .text("firstUtc", Numbers.utc(part.firstFileTime()))
        .text("lastUtc", Numbers.utc(part.lastFileTime()));
  }

  /** A number that is never 0 if it is known. */
  private static void known(Json json, String key, long number) {
    if (number == 0) {
      json.unknown(key);
    } else {
      json.number(key, number);
    }
  }

  private static void machine(Json json, WindowsMachine machine) {
    SystemConfiguration hardware = machine.hardware();
    json.object("machine").text("computerName", hardware.computerName());
    known(json, "osMajor", machine.major());
    if (machine.major() == 0) {
      json.unknown("osMinor");
    } else {
      json.number("osMinor", machine.minor());
    }
    known(json, "osBuild", machine.build());
    json.text("buildLab", hardware.buildLab())
        .text("productName", hardware.productName())
        .text("architecture", hardware.architecture());
    known(json, "pointerBytes", machine.pointerBytes());
    known(json, "cpus", machine.processors());
    known(json, "mhz", machine.megahertz());
    known(json, "memoryMiB", hardware.memoryMebibytes());
    json.endObject();
  }

  private static void sampling(Json json, Sampling sampling) {
    json.object("sampling").array("intervalsNanos");
    for (long interval : sampling.intervals()) {
      json.number(interval * 100);
    }
    json.endArray()
        .number("samples", sampling.samples())
        .number("busy", sampling.busy())
        .number("idle", sampling.samples() - sampling.busy())
        .number("busyWithStack", sampling.busyWithStack())
        .endObject();
  }

  private static void contents(Json json, MachineCounts contents, ProviderCounts sources) {
    json.object("contents");
    known(json, "processes", contents.processes());
    known(json, "threads", contents.threads());
    known(json, "images", contents.images());
    if (contents.images() == 0) {
      json.unknown("imagesWithPdbId");
    } else {
      json.number("imagesWithPdbId", contents.imagesWithPdbId());
    }
    json.number("events", sources.events())
        .number("stackRecords", sources.stackRecords())
        .number("leftOut", contents.leftOut())
        .endObject();
  }

  private static void sources(Json json, ProviderCounts sources) {
    json.array("sources");
    for (ProviderCounts.Row row : sources.rows()) {
      json.object()
          .text("providerGuid", EventIds.guid(row.providerGuid()))
          .text("provider", row.provider());
      if (row.providerListed()) {
        json.text("providerSource", EventIds.PROVIDER_LIST);
      }
      json.text("task", row.task() ? row.name() : null)
          .bool("decoded", row.described())
          .number("types", row.types())
          .number("events", row.events())
          .number("bytes", row.bytes())
          .number("withStack", row.withStack())
          .endObject();
    }
    json.endArray();
  }
}
