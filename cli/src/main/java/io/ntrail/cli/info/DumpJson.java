package io.ntrail.cli.info;

import io.ntrail.analysis.dumps.DumpProcess;
import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpedException;
import io.ntrail.cli.common.DumpFacts;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.dump.DumpFlag;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.MiscInfo;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.dump.streams.CrashpadInfo;
import io.ntrail.formats.dump.streams.DumpTexts;
import io.ntrail.formats.dump.streams.HandleInfo;
import io.ntrail.formats.dump.streams.KaskoCrashKeys;
import io.ntrail.formats.dump.streams.MemoryInfoList;
import io.ntrail.formats.identity.FileTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code ntrail info} of a dump for programs. */
final class DumpJson {
  private DumpJson() {}

  /** One object about the dump. */
  static void print(DumpRecording dump, Json json) {
    json.object().text("schema", "ntrail.info/1").array("files");
    file(dump, json);
    json.endArray();
    counts(dump, json);
    summary(dump, json);
    written(dump.dump(), json);
    DumpTraces.of(dump).ifPresent(traces -> traces.json(json));
    DumpListings.streams(dump).json(json);
    DumpListings.threads(dump).json(json);
    DumpListings.modules(dump).json(json);
    DumpListings.unloaded(dump).json(json);
    annotations(dump.dump(), json);
    json.gaps(dump.gaps()).endObject();
  }

  /** The object of the one file. */
  static void file(DumpRecording dump, Json json) {
    json.object().text("file", dump.fileNames().getFirst()).text("kind", "minidump");
    counts(dump, json);
    summary(dump, json);
    json.endObject();
  }

  /** Members that every recording has; a dump has no records, and one time. */
  private static void counts(DumpRecording dump, Json json) {
    String utc = DumpFacts.utc(dump);
    json.unknown("records")
        .unknown("buffers")
        .unknown("compressedBuffers")
        .object("recordsByHeader")
        .endObject()
        .object("cpus")
        .unknown("seen");
    Optional<SystemInfo> system = dump.system();
    if (system.isPresent() && system.get().processors() > 0) {
      json.number("configured", system.get().processors());
    } else {
      json.unknown("configured");
    }
    json.endObject()
        .object("lost")
        .unknown("events")
        .unknown("buffers")
        .endObject()
        .text("firstUtc", utc)
        .text("lastUtc", utc);
  }

  private static void summary(DumpRecording dump, Json json) {
    os(dump, json);
    process(dump.process(), json);
    exception(dump.exception(), json);
    MemoryRanges saved = dump.memory().saved();
    MemoryInfoList infos = dump.memory().infos();
    json.object("contents")
        .number("streams", dump.dump().streams().size())
        .number("threads", dump.threads().size())
        .number("modules", dump.modules().list().size())
        .number("unloadedModules", dump.modules().unloaded().size())
        .number("memoryBytes", saved.bytes())
        .number("memoryRanges", saved.count())
        .number("overlappingRanges", saved.overlapping())
        .number("memoryInfos", infos.count())
        .number("handles", HandleInfo.of(dump.dump()).size())
        .endObject();
  }

  private static void os(DumpRecording dump, Json json) {
    Optional<SystemInfo> known = dump.system();
    if (known.isEmpty()) {
      json.unknown("os");
      return;
    }
    SystemInfo system = known.get();
    json.object("os")
        .text("name", DumpFacts.system(dump))
        .text("version", DumpFacts.version(system))
        .text("machine", dump.view().machine())
        .text("servicePack", orNull(system.servicePack()))
        .bool("wow64", dump.wow64().isPresent())
        .endObject();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static void process(DumpProcess process, Json json) {
    json.object("process");
    if (process.pid().isPresent()) {
      json.number("pid", process.pid().getAsLong());
    } else {
      json.unknown("pid");
    }
    json.text("name", orNull(process.name()))
        .text("path", orNull(process.path()))
        .text("commandLine", orNull(process.commandLine()))
        .text("currentDirectory", orNull(process.currentDirectory()));
    Optional<MiscInfo.Times> times = process.times();
    if (times.isPresent()) {
      json.text("createdUtc", Numbers.utc(FileTime.ofUnixSeconds(times.get().created())))
          .number("userNanos", times.get().user() * 1_000_000_000L)
          .number("kernelNanos", times.get().kernel() * 1_000_000_000L);
    }
    json.endObject();
  }

  private static void exception(Optional<DumpedException> known, Json json) {
    if (known.isEmpty()) {
      json.unknown("exception");
      return;
    }
    DumpedException exception = known.get();
    json.object("exception")
        .text("code", Numbers.hex(Integer.toUnsignedLong(exception.code())))
        .text("codeText", orNull(exception.name()))
        .text("address", Numbers.hex(exception.address()))
        .text("text", exception.text())
        .number("tid", exception.thread())
        .array("parameters");
    exception.raw().parameters().forEach(value -> json.text(Numbers.hex(value)));
    json.endArray().endObject();
  }

  private static void written(Minidump dump, Json json) {
    json.object("written")
        .text("by", orNull(dump.miscInfo().map(MiscInfo::debugBuild).orElse("")))
        .text("systemBuild", orNull(dump.miscInfo().map(MiscInfo::build).orElse("")))
        .text("flags", Numbers.hex(dump.header().flags()))
        .array("flagsText");
    DumpFlag.of(dump.header().flags()).forEach(flag -> json.text(flag.words()));
    json.endArray().array("comments");
    DumpTexts.comments(dump).forEach(json::text);
    json.endArray().endObject();
  }

  private static void annotations(Minidump dump, Json json) {
    json.array("annotations");
    CrashpadInfo.of(dump)
        .ifPresent(info -> {
          annotations(json, info.annotations(), -1);
          info.modules()
              .forEach(module -> {
                module.list().forEach(text -> annotation(json, "", text, module.module()));
                annotations(json, module.annotations(), module.module());
              });
        });
    KaskoCrashKeys.of(dump).forEach((key, value) -> annotation(json, key, value, -1));
    json.endArray();
  }

  private static void annotations(Json json, List<CrashpadInfo.Annotation> all, int module) {
    all.forEach(a -> annotation(json, a.key(), a.value(), module));
  }

  /** One annotation; its module by its place among the modules, null if it is of the process. */
  private static void annotation(Json json, String key, String value, int module) {
    json.object().text("key", orNull(key)).text("value", value);
    if (module < 0) {
      json.unknown("module");
    } else {
      json.number("module", module);
    }
    json.endObject();
  }

  static void csv(DumpRecording dump, Csv csv) {
    csv.row(
        "file",
        "kind",
        "utc",
        "os",
        "machine",
        "pid",
        "process",
        "threads",
        "modules",
        "memoryBytes",
        "exceptionCode",
        "exceptionAddress",
        "tid",
        "exception");
    Optional<DumpedException> exception = dump.exception();
    csv.row(
        dump.fileNames().getFirst(),
        "minidump",
        Csv.orEmpty(DumpFacts.utc(dump)),
        Csv.orEmpty(DumpFacts.system(dump)),
        dump.view().machine(),
        dump.process().pid().isPresent() ? Long.toString(dump.process().pid().getAsLong()) : "",
        dump.process().name(),
        Integer.toString(dump.threads().size()),
        Integer.toString(dump.modules().list().size()),
        Long.toString(dump.memory().saved().bytes()),
        exception.map(e -> Numbers.hex(Integer.toUnsignedLong(e.code()))).orElse(""),
        exception.map(e -> Numbers.hex(e.address())).orElse(""),
        exception.map(e -> Long.toString(e.thread())).orElse(""),
        exception.map(DumpedException::text).orElse(""));
  }
}
