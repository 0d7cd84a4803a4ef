package io.ntrail.cli.info;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpedException;
import io.ntrail.analysis.dumps.DumpedThread;
import io.ntrail.cli.common.DumpFacts;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.dump.DumpFlag;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.MiscInfo;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.dump.streams.CrashpadInfo;
import io.ntrail.formats.dump.streams.DumpTexts;
import io.ntrail.formats.dump.streams.HandleInfo;
import io.ntrail.formats.dump.streams.KaskoCrashKeys;
import io.ntrail.formats.identity.FileTime;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code ntrail info} of a dump for people. */
final class DumpScreen {
  private static final int LABEL = 11;

  /** Annotations that are shown. */
  private static final int MOST_ANNOTATIONS = 20;

  private final DumpRecording dump;
  private final PrintStream out;

  DumpScreen(DumpRecording dump, PrintStream out) {
    this.dump = dump;
    this.out = out;
  }

  /**
   * Prints all of it.
   *
   * @param limit rows of the table of modules; 0 for all
   * @param width columns of the terminal; 0 to cut nothing
   */
  void print(long limit, int width) {
    String process = DumpFacts.process(dump);
    out.println(
        dump.fileNames().getFirst()
            + ": minidump"
            + (process == null ? "" : " of " + TextSanitizer.one(process))
            + ", "
            + Numbers.bytes(dump.size())
            + ", "
            + Losses.state(dump));
    out.println();
    system();
    time();
    item("command", dump.process().commandLine());
    item("folder", dump.process().currentDirectory());
    stopped();
    contents();
    DumpTraces.of(dump).ifPresent(traces -> item("traces", traces.text()));
    written();
    annotations(width);
    out.println();
    DumpListings.streams(dump).table(out, 0, width);
    if (!dump.modules().list().isEmpty()) {
      out.println();
      DumpListings.modules(dump).table(out, limit, width);
    }
  }

  private void item(String label, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      out.println(
          "  " + label + " ".repeat(Math.max(1, LABEL - label.length())) + TextSanitizer.one(text));
    }
  }

  private void system() {
    String name = DumpFacts.system(dump);
    Optional<SystemInfo> system = dump.system();
    if (name == null || system.isEmpty()) {
      return;
    }
    String servicePack = system.get().servicePack();
    item(
        "system",
        name
            + " "
            + dump.view().machine()
            + (dump.wow64().isPresent() ? " with a 32-bit process (WOW64)" : "")
            + ", "
            + Numbers.counted(system.get().processors(), "CPU")
            + (servicePack.isEmpty() ? "" : ", " + servicePack));
  }

  private void time() {
    List<String> parts = new ArrayList<>();
    String written = DumpFacts.utc(dump);
    if (written != null) {
      parts.add(seconds(written));
    }
    dump.process()
        .times()
        .filter(times -> times.created() != 0)
        .ifPresent(times -> {
          parts.add(
              "process since " + seconds(FileTime.text(FileTime.ofUnixSeconds(times.created()))));
          parts.add(times.user() + " s user, " + times.kernel() + " s kernel time");
        });
    item("time", String.join("; ", parts));
  }

  /** {@code 2026-03-14 08:31:07 UTC} of a time with 7 decimals. */
  private static String seconds(String utc) {
    return utc.substring(0, 19).replace('T', ' ') + " UTC";
  }

  private void stopped() {
    Optional<DumpedException> exception = dump.exception();
    if (exception.isEmpty()) {
      item("stopped", "no exception is in the dump");
      return;
    }
    item("stopped", DumpFacts.stopped(dump, exception.get()));
    item("", "at " + DumpFacts.place(dump, exception.get().address()));
  }

  private void contents() {
    MemoryRanges memory = dump.memory().saved();
    int unloaded = dump.modules().unloaded().size();
    int handles = HandleInfo.of(dump.dump()).size();
    long named = dump.threads().stream().filter(thread -> thread.name() != null).count();
    item(
        "contents",
        Numbers.counted(dump.threads().size(), "thread")
            + (named > 0 ? " (" + Numbers.count(named) + " with names)" : "")
            + ", "
            + Numbers.counted(dump.modules().list().size(), "module")
            + (unloaded > 0 ? " (" + Numbers.count(unloaded) + " more unloaded)" : "")
            + ", "
            + Numbers.bytes(memory.bytes())
            + " of memory in "
            + Numbers.counted(memory.count(), "range")
            + (handles > 0 ? ", " + Numbers.counted(handles, "handle") : ""));
    if (memory.overlapping() > 0) {
      item(
          "",
          Numbers.counted(memory.overlapping(), "range")
              + " overlapping others: of two, the first in the file counts");
    }
    Optional<DumpedThread> writer =
        dump.threads().stream().filter(DumpedThread::isWriter).findFirst();
    writer.ifPresent(thread -> item("", "thread " + thread.tid() + " wrote the dump"));
  }

  private void written() {
    Minidump raw = dump.dump();
    String by = raw.miscInfo().map(MiscInfo::debugBuild).orElse("");
    String with =
        DumpFlag.of(raw.header().flags()).stream()
            .map(DumpFlag::words)
            .collect(Collectors.joining(", "));
    item(
        "written",
        (by.isEmpty() ? "" : "by " + by)
            + (with.isEmpty() ? "" : (by.isEmpty() ? "" : "; ") + "with " + with));
    DumpTexts.comments(raw).forEach(text -> item("comment", text));
  }

  private void annotations(int width) {
    List<String> lines = new ArrayList<>();
    CrashpadInfo.of(dump.dump())
        .ifPresent(info -> {
          lines.add("Crashpad report " + info.report());
          info.annotations().forEach(a -> lines.add(a.key() + " = " + a.value()));
          info.modules()
              .forEach(module -> {
                module.list().forEach(text -> lines.add(module(module.module()) + ": " + text));
                module
                    .annotations()
                    .forEach(a ->
                        lines.add(module(module.module()) + ": " + a.key() + " = " + a.value()));
              });
        });
    KaskoCrashKeys.of(dump.dump()).forEach((key, value) -> lines.add(key + " = " + value));
    String label = "annotated";
    for (String line : lines.subList(0, Math.min(MOST_ANNOTATIONS, lines.size()))) {
      int room = width - LABEL - 2;
      boolean isCut = width > 0 && line.length() > Math.max(room, MOST_ANNOTATIONS);
      item(label, isCut ? line.substring(0, Math.max(room, MOST_ANNOTATIONS) - 3) + "..." : line);
      label = "";
    }
    if (lines.size() > MOST_ANNOTATIONS) {
      item("", Numbers.count(lines.size() - MOST_ANNOTATIONS) + " more (--format json lists all)");
    }
  }

  private String module(int index) {
    return index >= 0 && index < dump.modules().list().size()
        ? dump.modules().list().get(index).name()
        : "module " + index;
  }
}
