package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.EtwProfile;
import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.weights.Profiler;
import io.ntrail.analysis.etw.weights.WeightSources;
import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.StackFilter;
import io.ntrail.analysis.profile.StackFrequencies;
import io.ntrail.analysis.profile.StackFrequencies.Group;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** {@code stacks FILE -e EVENT --top N}: the stacks that events have most often. */
final class FrequentStacks {
  private static final String BETWEEN = " < ";
  private static final String INDENT = "  ";

  private final RecordedRequest request;
  private final EtwRecording recording;
  private final SymbolSearchPath places;
  private final Terminal terminal;
  private final FrameJson frameJson = new FrameJson();

  FrequentStacks(
      RecordedRequest request, EtwRecording recording, SymbolSearchPath places, Terminal terminal) {
    this.request = request;
    this.recording = recording;
    this.places = places;
    this.terminal = terminal;
  }

  int run() {
    EtwProfile profile;
    StackFrequencies stacks;
    Losses.Symbols lacking;
    try (Progress _ = ReadingProgress.start(recording, places, request.parsed(), terminal);
        EtwProfile surveyed =
            EtwProfile.of(
                recording,
                query(),
                places.search(),
                places.images(),
                CommonOptions.cores(request.parsed()))) {
      profile = surveyed;
      SymbolDownloads.fetch(profile, places, request.isText(), request.parsed());
      stacks = profile.stacks();
      lacking = SymbolDownloads.lacking(places, profile.symbols());
    }
    List<Group> groups = stacks.heaviest(request.top());
    Listing<Group> listing = new Listing<>("groups", columns(), groups::forEach);
    EtwProfile answered = profile;
    listing.print(
        request.format(),
        terminal.out(),
        () -> text(answered, stacks, groups),
        json -> json(answered, stacks, listing, json));
    if (request.isOfRows()) {
      leftOff(profile.profiler().total(), stacks, groups);
    }
    remarks(profile);
    return Losses.finish(recording, lacking, request.parsed(), terminal);
  }

  private EtwProfile.Query query() {
    FrameRules usual = FrameRules.USUAL;
    return new EtwProfile.Query(
        WeightSources.ofNamedEvents(),
        WeightUnit.COUNT,
        new ProfileScope(
            request.processes(),
            request.threads(),
            request.events(),
            request.range().fromNanos(),
            request.range().toNanos(),
            ProfileScope.Mode.ALL,
            false,
            StackFilter.ALL),
        new FrameRules(
            request.hasInline(), usual.lines(), usual.justMyCode(), usual.groups(), usual.folds()));
  }

  private ListingColumns<Group> columns() {
    return new ListingColumns<Group>()
        .count("count", Group::weight)
        .value(
            "frames",
            (group, cell) ->
                cell.shaped(
                    () ->
                        group.frames().stream()
                            .map(NamedFrame::text)
                            .collect(Collectors.joining(";")),
                    json -> frames(json, group)));
  }

  private void frames(Json json, Group group) {
    json.array();
    frameJson.elements(json, group.frames());
    json.endArray();
  }

  private void text(EtwProfile profile, StackFrequencies stacks, List<Group> groups) {
    Profiler profiler = profile.profiler();
    long total = profiler.total();
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + request.asked()
                + ", "
                + request.range().text()
                + ": "
                + new EventTotals(total, profiler.remarks().stackRecords()).text()
                + ", "
                + Losses.state(recording));
    if (total == 0) {
      return;
    }
    terminal
        .out()
        .println(
            "%s %% with stacks, %s%s; %s"
                .formatted(
                    Numbers.percent(profiler.withFrames(), total),
                    Numbers.count(stacks.distinct()) + " different",
                    profiler.undefined() == 0
                        ? ""
                        : ", " + Numbers.counted(profiler.undefined(), "stack key") + " undefined",
                    symbols(profile)));
    String noun = noun();
    long left = total - stacks.withoutStack();
    for (Group group : groups) {
      left -= group.weight();
      terminal
          .out()
          .println(
              "%s of %s %s (%s %%) %s this stack:"
                  .formatted(
                      Numbers.count(group.weight()),
                      Numbers.count(total),
                      noun,
                      Numbers.percent(group.weight(), total),
                      group.weight() == 1 ? "has" : "have"));
      path(group.frames());
    }
    if (left > 0) {
      terminal
          .out()
          .println(
              "%s of %s (%s %%) have %s (--top 0 shows all)"
                  .formatted(
                      Numbers.count(left),
                      Numbers.count(total),
                      Numbers.percent(left, total),
                      Numbers.counted(stacks.distinct() - groups.size(), "other stack")));
    }
    if (stacks.withoutStack() > 0) {
      terminal
          .out()
          .println(
              "%s of %s (%s %%) have no stack"
                  .formatted(
                      Numbers.count(stacks.withoutStack()),
                      Numbers.count(total),
                      Numbers.percent(stacks.withoutStack(), total)));
    }
  }

  private String noun() {
    String pattern = request.events().getFirst().toString();
    boolean isName = request.events().size() == 1 && pattern.matches("[\\w./-]+");
    return isName ? pattern : "events";
  }

  private static String symbols(EtwProfile profile) {
    int found = profile.symbols().found();
    int exporting = profile.symbols().exporting();
    return found + exporting == 0
        ? "no symbols: addresses grouped into 256-byte ranges"
        : "symbols: %s of %s%s; other addresses grouped into 256-byte ranges"
            .formatted(
                Numbers.count(found),
                Numbers.counted(profile.symbols().hot(), "image"),
                exporting == 0
                    ? ""
                    : ", nearest export names for %s".formatted(Numbers.count(exporting)));
  }

  /** Prints functions from the innermost to the outermost; on a terminal in lines of its width. */
  private void path(List<NamedFrame> frames) {
    int width = CommonOptions.width(request.parsed(), terminal);
    StringBuilder line = new StringBuilder(INDENT);
    for (int i = 0; i < frames.size(); i++) {
      String part = frames.get(i).text() + (i < frames.size() - 1 ? BETWEEN.stripTrailing() : "");
      boolean isFirst = line.length() <= 2 * INDENT.length() && line.toString().isBlank();
      if (!isFirst && width > 0 && line.length() + 1 + part.length() > width) {
        terminal.out().println(line);
        line.setLength(0);
        line.append(INDENT).append(INDENT).append(part);
      } else {
        line.append(isFirst ? "" : " ").append(part);
      }
    }
    terminal.out().println(line);
  }

  private void json(
      EtwProfile profile, StackFrequencies stacks, Listing<Group> listing, Json json) {
    Profiler profiler = profile.profiler();
    StacksJson.head(json, recording, "recorded");
    json.object("scope");
    StacksJson.scope(json, request);
    limit(json, "fromNanos", request.range().fromNanos(), Long.MIN_VALUE);
    limit(json, "toNanos", request.range().toNanos(), Long.MAX_VALUE);
    json.endObject()
        .number("events", profiler.total())
        .number("withoutStack", stacks.withoutStack())
        .number("distinct", stacks.distinct())
        .array("threads")
        .endArray();
    listing.json(json);
    int shown = request.top() == 0 ? stacks.distinct() : Math.min(request.top(), stacks.distinct());
    json.number("groupsLeftOut", stacks.distinct() - shown).number("cut", stacks.cut());
    StacksJson.remarks(json, profiler.undefined(), undecided(profiler).unattributed());
    List<Gap> gaps = new ArrayList<>(recording.gaps());
    gaps.addAll(profile.symbols().gaps());
    Losses.json(json, recording).gaps(gaps);
    StacksJson.symbols(json, profile.symbols());
  }

  private static void limit(Json json, String key, long value, long unlimited) {
    if (value == unlimited) {
      json.unknown(key);
    } else {
      json.number(key, value);
    }
  }

  private EventFilter.Undecided undecided(Profiler profiler) {
    return EventFilter.Undecided.of(
        request.processes().isEmpty() ? 0 : profiler.remarks().unattributed());
  }

  private void remarks(EtwProfile profile) {
    Profiler profiler = profile.profiler();
    List<String> processes = request.processes().stream().map(NamePattern::toString).toList();
    EventRemarks.undecided(undecided(profiler), processes, request.format(), terminal);
    terminal.out().flush();
    if (!profile.lack().isEmpty()) {
      terminal.err().println("warning: " + profile.lack());
    }
    profile.symbols().warnings().forEach(why -> terminal.err().println("warning: " + why));
    SymbolDownloads.remarks(
        request.file(), places, profile.symbols(), request.isText(), request.parsed(), terminal);
    EventRemarks.leftOut(profile.input().machine().leftOut(), terminal);
    warn(profiler.leftOut(), "stack record", "skipped");
    EventRemarks.undefined(profiler.undefined(), terminal);
    if (!request.range().whole()) {
      EventRemarks.outside(
          recording, request.range(), CommonOptions.cores(request.parsed()), terminal);
    }
    if (profiler.total() > 0
        && profiler.withFrames() + profiler.undefined() == 0
        && request.isText()) {
      terminal
          .err()
          .println(
              "try: ntrail events "
                  + ShellWords.file(request.file())
                  + " --count lists which events have stacks");
    }
    EventRemarks.unmatched(
        profiler.unmatchedWords(),
        !request.range().whole(),
        request.isNarrowed(),
        undecided(profiler),
        terminal);
  }

  /** Warns of events that no row has, as rows have no line and no member for them. */
  private void leftOff(long total, StackFrequencies stacks, List<Group> groups) {
    terminal.out().flush();
    long others = total - stacks.withoutStack();
    others -= groups.stream().mapToLong(Group::weight).sum();
    if (others > 0 && !request.hasTop()) {
      String more = Numbers.counted(stacks.distinct() - groups.size(), "other stack");
      leftOff(others, total, more + ": not included (--top 0 writes all)");
    }
    if (stacks.withoutStack() > 0) {
      leftOff(stacks.withoutStack(), total, "no stack: not included");
    }
  }

  private void leftOff(long count, long total, String what) {
    terminal
        .err()
        .println(
            "warning: "
                + Numbers.count(count)
                + " of "
                + Numbers.counted(total, "event")
                + (count == 1 ? " has " : " have ")
                + what);
  }

  private void warn(long count, String noun, String what) {
    if (count > 0) {
      terminal
          .err()
          .println("warning: memory limit reached: " + Numbers.counted(count, noun) + " " + what);
    }
  }
}
