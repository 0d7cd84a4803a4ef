package io.ntrail.cli.profile;

import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.flow.recorded.RecordedProfile;
import io.ntrail.analysis.profile.ProfileRow;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.pt.TraceCalls;
import io.ntrail.cli.pt.TraceFunctions;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** {@code ntrail profile --metric pt}: instructions of a Processor Trace by function. */
final class TraceProfile implements ProfilePage {
  private final TraceFunctions functions;
  private final ProfileShape shape;
  private final ParseResult parsed;
  private final long total;

  TraceProfile(TraceFunctions functions, ProfileShape shape, ParseResult parsed) {
    this.functions = functions;
    this.shape = shape;
    this.parsed = parsed;
    this.total = functions.rows().stream().mapToLong(RecordedProfile.Row::self).sum();
  }

  void print() {
    new ProfileRowsView(this, shape)
        .print(
            functions.rows().stream()
                .map(TraceProfile::row)
                .sorted(ProfileRow.order(shape.bySelf()))
                .toList());
  }

  private static ProfileRow row(RecordedProfile.Row row) {
    boolean hasModule = row.module() != null;
    String name = row.name().isEmpty() ? "0x" + Long.toHexString(row.place()) : row.name();
    return new ProfileRow(
        null,
        null,
        null,
        null,
        hasModule ? row.module() : CallNames.UNKNOWN,
        name,
        null,
        hasModule ? row.place() : -1,
        row.self(),
        row.total());
  }

  @Override
  public Terminal terminal() {
    return functions.terminal();
  }

  @Override
  public int width() {
    return CommonOptions.width(parsed, terminal());
  }

  @Override
  public boolean ascii() {
    return CommonOptions.has(parsed, "--ascii") || !terminal().outIsUtf8();
  }

  @Override
  public long total() {
    return total;
  }

  @Override
  public String weight(long weight) {
    return Numbers.count(weight);
  }

  @Override
  public String unit() {
    return "instr.";
  }

  @Override
  public String unitOfWeights() {
    return TraceCalls.UNIT;
  }

  @Override
  public List<String> lines() {
    return List.of(
        functions.heading() + ", " + Numbers.counted(total, "instruction") + functions.lacks());
  }

  @Override
  public Json members(Json json) {
    json.text("file", functions.name())
        .text("metric", TraceCalls.METRIC)
        .text("unit", unitOfWeights())
        .number("total", total)
        .number("idle", 0)
        .object("scope")
        .array("process");
    if (CommonOptions.has(parsed, "-p")) {
      functions
          .processes()
          .forEach(its ->
              json.object()
                  .text("name", its.name())
                  .number("pid", Integer.toUnsignedLong(its.pid()))
                  .endObject());
    }
    json.endArray().array("thread");
    CommonOptions.owners(parsed, "-t", "4316").forEach(pattern -> json.text(pattern.toString()));
    json.endArray();
    EventProfilePage.limit(json, "fromNanos", functions.time().fromNanos(), Long.MIN_VALUE);
    EventProfilePage.limit(json, "toNanos", functions.time().toNanos(), Long.MAX_VALUE);
    json.endObject();
    functions.members(json);
    return json.object("symbols").unknown("hot").number("found", 0).endObject();
  }
}
