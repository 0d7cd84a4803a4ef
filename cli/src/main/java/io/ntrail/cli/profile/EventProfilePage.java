package io.ntrail.cli.profile;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.ProfileInput;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.WeightSink;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ParseResult;

/** Headings and members of a profile of events. */
public final class EventProfilePage implements ProfilePage {
  private final ProfileInput input;
  private final Profiler profiler;
  private final RecordingSymbols symbols;
  private final ProfileRequest request;
  private final ParseResult parsed;
  private final Terminal terminal;
  private final EtwRecording recording;
  private final ProfileHeading heading;

  public EventProfilePage(
      EtwProfile profile, ProfileRequest request, ParseResult parsed, Terminal terminal) {
    this.input = profile.input();
    this.profiler = profile.profiler();
    this.symbols = profile.symbols();
    this.request = request;
    this.parsed = parsed;
    this.terminal = terminal;
    this.recording = input.recording();
    this.heading =
        new ProfileHeading(input, profiler, symbols, request, CommonOptions.cores(parsed));
  }

  @Override
  public Terminal terminal() {
    return terminal;
  }

  @Override
  public long total() {
    return profiler.total();
  }

  @Override
  public int width() {
    return CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal() ? 0 : terminal.width();
  }

  @Override
  public boolean ascii() {
    return CommonOptions.has(parsed, "--ascii") || !terminal.outIsUtf8();
  }

  @Override
  public String weight(long weight) {
    return switch (request.unit()) {
      case NANOS -> Numbers.oneDecimal(weight / 1e3);
      default -> Numbers.count(weight);
    };
  }

  @Override
  public String unit() {
    return request.unit() == WeightUnit.NANOS ? "us" : request.unit().text();
  }

  /** Nanoseconds that the part of the recording lasts which was requested. */
  long covered() {
    return heading.covered();
  }

  @Override
  public String unitOfWeights() {
    return request.unit().text();
  }

  /** The first lines, and only the very first if there is nothing to show. */
  @Override
  public List<String> lines() {
    return profiler.weights() > 0
        ? List.of(heading.first(), heading.second())
        : List.of(heading.first());
  }

  /** Warns of problems with PDBs. */
  public void missing() {
    symbols.warnings().forEach(why -> terminal.err().println("warning: " + why));
  }

  @Override
  public Json members(Json json) {
    ProfileScope scope = request.scope();
    json.text("file", Headings.files(recording))
        .text("metric", request.metric().name())
        .text("unit", request.unit().text());
    if (request.metric().hasChoice()) {
      json.text("source", profiler.variant().text());
    }
    json.number("total", profiler.busy())
        .number("idle", profiler.idle())
        .number("filteredOut", profiler.hidden())
        .object("scope");
    json.array("process");
    if (!scope.processes().isEmpty()) {
      for (WeightSink.Owner owner : profiler.owners()) {
        json.object()
            .text("name", owner.name())
            .number("pid", Integer.toUnsignedLong(owner.id()))
            .endObject();
      }
    }
    json.endArray().array("thread");
    scope.threads().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("event");
    scope.events().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("only");
    scope.stacks().only().forEach(pattern -> json.text(pattern.toString()));
    json.endArray().array("hide");
    scope.stacks().hidden().forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
    limit(json, "fromNanos", scope.fromNanos(), Long.MIN_VALUE);
    limit(json, "toNanos", scope.toNanos(), Long.MAX_VALUE);
    json.number("coveredNanos", heading.covered())
        .text("mode", scope.mode().name().toLowerCase(Locale.ROOT))
        .bool("idle", scope.idle())
        .endObject();
    List<Gap> gaps = new ArrayList<>(recording.gaps());
    gaps.addAll(symbols.gaps());
    Losses.json(json, recording).gaps(gaps);
    json.object("symbols")
        .number("hot", symbols.hot())
        .number("found", symbols.found())
        .number("exporting", symbols.exporting())
        .array("late");
    symbols.late().forEach(json::text);
    json.endArray().endObject();
    json.object("stacks")
        .number("weights", profiler.weights())
        .number("withStack", profiler.withFrames())
        .number("records", profiler.references())
        .number("unmatched", profiler.unmatched())
        .number("undefinedKeys", profiler.undefined())
        .number("leftOut", profiler.leftOut())
        .endObject();
    json.object("remarks")
        .number("unfinished", profiler.remarks().unfinished())
        .number("broken", profiler.remarks().broken())
        .number("breaks", profiler.remarks().breaks())
        .bool("intervalUnknown", profiler.remarks().intervalUnknown())
        .number("unattributed", profiler.remarks().unattributed())
        .number("tooLarge", profiler.remarks().tooLarge())
        .number("leftOut", input.machine().leftOut())
        .endObject();
    return json;
  }

  /** An end of a time range; null if there is none. */
  static void limit(Json json, String key, long value, long unlimited) {
    if (value == unlimited) {
      json.unknown(key);
    } else {
      json.number(key, value);
    }
  }
}
