package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.EtwStacks;
import io.ntrail.analysis.etw.events.StacksAtTime;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.PdbReference;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.WindowsVersions;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Members of {@code ntrail.stacks/1} that several answers have. */
final class StacksJson {
  private StacksJson() {}

  /** Writes what an answer about a recording begins with. */
  static void head(Json json, EtwRecording recording, String kind) {
    json.text("schema", "ntrail.stacks/1")
        .text("file", Headings.files(recording))
        .text("kind", kind)
        .unknown("exception")
        .unknown("bugcheck");
    LogFileHeader header = recording.files().getFirst().header().orElse(null);
    if (header == null || header.osMajor() == 0) {
      json.unknown("os");
    } else {
      String version = header.osMajor() + "." + header.osMinor() + ".";
      json.object("os")
          .text("name", WindowsVersions.text(version, header.providerVersion(), null))
          .text("version", version + header.providerVersion())
          .unknown("machine")
          .endObject();
    }
  }

  /** Writes what was asked for. */
  static void scope(Json json, RecordedRequest request) {
    json.array("process");
    request.processes().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("thread");
    request.threads().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("event");
    request.events().forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
  }

  /**
   * Writes what the stacks of events lack, if they lack anything.
   *
   * @param undefined references to stack keys that nothing defines
   * @param unattributed events of unknown processes that may be those that were asked for
   */
  static void remarks(Json json, long undefined, long unattributed) {
    if (undefined + unattributed > 0) {
      json.object("remarks")
          .number("undefinedKeys", undefined)
          .number("unattributed", unattributed)
          .endObject();
    }
  }

  /** Writes the process of stacks; null if they are of several, or there are none. */
  static void process(Json json, List<EtwStacks.Stack> stacks) {
    if (stacks.isEmpty()) {
      json.unknown("process");
      return;
    }
    StacksAtTime.Found first = stacks.getFirst().event();
    boolean isOne = stacks.stream().allMatch(stack -> stack.event().pid() == first.pid());
    long pid = StackHead.of(first).pid();
    if (isOne && pid >= 0) {
      json.object("process").number("pid", pid).text("name", first.process()).endObject();
    } else {
      json.unknown("process");
    }
  }

  /** Writes images. */
  static void modules(Json json, List<StackModule> modules) {
    json.array("modules");
    for (StackModule module : modules) {
      json.object().text("name", module.name()).text("base", Numbers.hex(module.base()));
      known(json, "size", module.size() == 0 ? -1 : module.size());
      PdbReference pdb = module.pdb().orElse(null);
      if (pdb == null) {
        json.unknown("pdb");
      } else {
        json.object("pdb")
            .text("guid", pdb.id().guid().toString())
            .number("age", pdb.id().age())
            .text("name", pdb.name())
            .endObject();
      }
      json.bool("unloaded", module.isUnloaded()).endObject();
    }
    json.endArray();
  }

  /** Writes whose stack an event has. */
  static void thread(Json json, StacksAtTime.Found found, long at) {
    StackHead head = StackHead.of(found);
    known(json, "tid", head.tid());
    json.text("name", head.name()).bool("faulting", head.isFaulting());
    known(json, "pid", head.pid());
    @Nullable String utc = Numbers.utc(found.fileTime());
    json.text("process", head.process())
        .number("cpu", found.cpu())
        .text("event", found.event())
        .number("timeNanos", found.nanos())
        .text("utc", utc)
        .number("beforeNanos", Math.max(0, at - found.nanos()));
  }

  /** Writes where names came from. */
  static void symbols(Json json, RecordingSymbols symbols) {
    json.object("symbols")
        .number("hot", symbols.hot())
        .number("found", symbols.found())
        .number("exporting", symbols.exporting())
        .array("late");
    symbols.late().forEach(json::text);
    json.endArray().endObject();
  }

  /** Writes a number of which negative ones are unknown. */
  static void known(Json json, String key, long value) {
    if (value < 0) {
      json.unknown(key);
    } else {
      json.number(key, value);
    }
  }
}
