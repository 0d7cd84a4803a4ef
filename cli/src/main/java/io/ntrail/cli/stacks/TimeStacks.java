package io.ntrail.cli.stacks;

import io.ntrail.analysis.etw.EtwStacks;
import io.ntrail.analysis.etw.events.StacksAtTime;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.EventRemarks;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.SymbolDownloads;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** {@code stacks FILE --at TIME}: the last stack of each CPU or thread up to a time. */
final class TimeStacks {
  private final RecordedRequest request;
  private final EtwRecording recording;
  private final SymbolSearchPath places;
  private final Terminal terminal;
  private final FrameJson frameJson = new FrameJson();
  private final long at;

  TimeStacks(
      RecordedRequest request, EtwRecording recording, SymbolSearchPath places, Terminal terminal) {
    this.request = request;
    this.recording = recording;
    this.places = places;
    this.terminal = terminal;
    this.at = request.at().orElseThrow();
  }

  int run() {
    EtwStacks stacks;
    EtwStacks.Answer answer;
    Losses.Symbols lacking;
    try (Progress _ = ReadingProgress.start(recording, places, request.parsed(), terminal);
        EtwStacks surveyed =
            EtwStacks.of(
                recording,
                query(),
                places.search(),
                places.images(),
                CommonOptions.cores(request.parsed()))) {
      stacks = surveyed;
      SymbolDownloads.fetch(
          places, stacks.symbols(), stacks::images, request.isText(), request.parsed());
      answer = stacks.answer();
      lacking = SymbolDownloads.lacking(places, stacks.symbols());
    }
    if (answer.stacks().isEmpty() && recording.gaps().isEmpty()) {
      EventRemarks.unmatched(stacks.search().unmatched(), false, request.isNarrowed(), terminal);
      warnUnattributed(stacks.search());
      throw new CannotGoOn(nothing(), nextStep(stacks.search()));
    }
    print(stacks, answer);
    if (answer.stacks().isEmpty()) {
      terminal.out().flush();
      terminal.err().println("warning: " + nothing() + CannotGoOn.AS_FAR_AS_READ);
    }
    remarks(stacks);
    return Losses.finish(recording, lacking, request.parsed(), terminal);
  }

  private StacksAtTime.Query query() {
    return new StacksAtTime.Query(
        at,
        request.isOfThreads() ? StacksAtTime.Of.THREAD : StacksAtTime.Of.CPU,
        request.processes(),
        request.threads(),
        request.events());
  }

  private String nothing() {
    String file = recording.files().getFirst().name();
    String asked = request.isAll() ? "has a stack" : "with a stack matches " + request.asked();
    return "no event %s at or before %s s (%s)".formatted(asked, Numbers.seconds(at), file);
  }

  private String nextStep(StacksAtTime search) {
    String file = ShellWords.file(recording.files().getFirst().name());
    return search.others() > 0
        ? "ntrail stacks %s --at %s --all".formatted(file, Numbers.seconds(at))
        : "ntrail events %s --count".formatted(file);
  }

  private List<NamedFrame> frames(EtwStacks.Stack stack) {
    return request.hasInline()
        ? stack.frames()
        : stack.frames().stream().filter(frame -> !frame.isInlined()).toList();
  }

  private void print(EtwStacks stacks, EtwStacks.Answer answer) {
    List<StackGroup<EtwStacks.Stack>> groups =
        StackGroup.of(answer.stacks(), this::frames, request.isSame());
    Listing<StackRow> rows =
        new Listing<>("frames", StackRow.columns(), sink -> rows(answer, sink));
    rows.print(
        request.format(),
        terminal.out(),
        () -> text(stacks, answer, groups),
        json -> json(stacks, answer, groups, json));
  }

  private void rows(EtwStacks.Answer answer, Consumer<StackRow> sink) {
    for (EtwStacks.Stack stack : answer.stacks()) {
      StackHead head = StackHead.of(stack.event());
      List<NamedFrame> frames = frames(stack);
      for (int i = 0; i < frames.size(); i++) {
        sink.accept(StackRow.of(head, i, frames.get(i)));
      }
    }
  }

  private void text(
      EtwStacks stacks, EtwStacks.Answer answer, List<StackGroup<EtwStacks.Stack>> groups) {
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + request.asked()
                + ", at "
                + Numbers.seconds(at)
                + " s: the last stack of "
                + counted(answer.stacks().size())
                + ", "
                + Losses.state(recording));
    boolean is64Bit =
        recording.files().stream()
            .allMatch(file -> file.header().map(LogFileHeader::pointerBytes).orElse(8) == 8);
    FrameTable table =
        new FrameTable(terminal, CommonOptions.width(request.parsed(), terminal), is64Bit, false);
    for (StackGroup<EtwStacks.Stack> group : groups) {
      terminal.out().println();
      group.members().forEach(stack -> terminal.out().println(head(stack.event())));
      table.print(group.frames());
    }
    terminal.out().println();
    if (stacks.search().unattributed() > 0) {
      terminal.out().println(unattributed(stacks.search()));
    }
    if (stacks.search().others() > 0) {
      String more = stacks.search().others() == 1 ? " has" : " have";
      terminal
          .out()
          .println(
              Numbers.counted(stacks.search().others(), "more thread")
                  + more
                  + " an earlier stack (--all: show, --same: group equal ones)");
    }
    table.legend();
  }

  private String unattributed(StacksAtTime search) {
    return EventRemarks.unattributed(
        search.unattributed(), request.processes().stream().map(NamePattern::toString).toList());
  }

  private void warnUnattributed(StacksAtTime search) {
    if (search.unattributed() > 0) {
      terminal.err().println("warning: " + unattributed(search));
    }
  }

  private String counted(long found) {
    if (request.isOfThreads()) {
      return Numbers.counted(found, "thread");
    }
    long cpus =
        recording.files().stream()
            .mapToLong(file -> file.header().map(LogFileHeader::processors).orElse(0L))
            .max()
            .orElse(0);
    return cpus < found
        ? Numbers.counted(found, "CPU")
        : Numbers.count(found) + " of " + Numbers.counted(cpus, "CPU");
  }

  /** Returns the line above the frames: whose stack, of which event, how long before the time. */
  private String head(StacksAtTime.Found found) {
    String thread =
        (found.tid() == RecordCursor.NO_ID
                ? "unknown thread"
                : "thread " + Integer.toUnsignedString(found.tid()))
            + (found.pid() == RecordCursor.NO_ID
                ? ""
                : " of "
                    + (found.process() == null ? "process" : found.process())
                    + " ("
                    + Integer.toUnsignedString(found.pid())
                    + ")");
    String cpu = "CPU " + found.cpu();
    String event = found.event() + " at " + Numbers.seconds(found.nanos()) + " s";
    long before = at - found.nanos();
    String distance = before <= 0 ? "at this time" : Numbers.duration(before) + " before";
    return request.isOfThreads()
        ? thread + ": " + event + " on " + cpu + ", " + distance
        : cpu + ": " + thread + ", " + event + ", " + distance;
  }

  private void json(
      EtwStacks stacks,
      EtwStacks.Answer answer,
      List<StackGroup<EtwStacks.Stack>> groups,
      Json json) {
    StacksJson.head(json, recording, "recorded");
    json.number("atNanos", at)
        .text("per", request.isOfThreads() ? "thread" : "cpu")
        .object("scope");
    StacksJson.scope(json, request);
    json.endObject();
    StacksJson.process(json, answer.stacks());
    StacksJson.modules(json, answer.modules());
    json.array("threads");
    for (EtwStacks.Stack stack : answer.stacks()) {
      json.object();
      StacksJson.thread(json, stack.event(), at);
      frameJson.array(json, "frames", frames(stack));
      json.endObject();
    }
    json.endArray();
    if (request.isSame()) {
      json.array("groups");
      for (StackGroup<EtwStacks.Stack> group : groups) {
        json.object().number("count", group.members().size()).array("tids");
        group.members().forEach(stack -> json.number(StackHead.of(stack.event()).tid()));
        json.endArray();
        frameJson.array(json, "frames", group.frames());
        json.endObject();
      }
      json.endArray();
    }
    json.number("threadsLeftOut", stacks.search().others() + stacks.search().leftOut());
    StacksJson.remarks(json, stacks.search().counts().undefined(), stacks.search().unattributed());
    List<Gap> gaps = new ArrayList<>(recording.gaps());
    gaps.addAll(stacks.symbols().gaps());
    Losses.json(json, recording).gaps(gaps);
    StacksJson.symbols(json, stacks.symbols());
  }

  private void remarks(EtwStacks stacks) {
    terminal.out().flush();
    stacks.symbols().warnings().forEach(why -> terminal.err().println("warning: " + why));
    SymbolDownloads.remarks(
        request.file(), places, stacks.symbols(), request.isText(), request.parsed(), terminal);
    EventRemarks.leftOut(stacks.events().leftOut(), terminal);
    if (request.isOfRows()) {
      warnUnattributed(stacks.search());
    }
    if (stacks.search().leftOut() > 0) {
      terminal
          .err()
          .println(
              "warning: memory limit reached: "
                  + Numbers.counted(stacks.search().leftOut(), "stack")
                  + " of further threads skipped");
    }
    EventRemarks.stacks(stacks.search().counts(), request.parsed(), terminal);
    EventRemarks.unmatched(stacks.search().unmatched(), false, request.isNarrowed(), terminal);
    long end = recording.covered(CommonOptions.cores(request.parsed()), 0, Long.MAX_VALUE);
    if (at > end) {
      terminal
          .err()
          .println(
              "warning: the recording ends at "
                  + Numbers.seconds(end)
                  + " s, before the time asked for");
    }
  }
}
