package io.ntrail.cli.pt.driver;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pt.IptThreadTrace;
import io.ntrail.formats.pt.IptTraceData;
import io.ntrail.live.ipt.AddressRange;
import io.ntrail.live.ipt.IptDriver;
import io.ntrail.live.target.AttachedProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.ProcessHandles;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * Trace of a running program: the driver is started, told to trace, asked for the rings, and told
 * to stop.
 *
 * @param machine whose driver it is
 * @param format of the report
 */
public record DriverTrace(DriverMachine machine, Format format, Terminal terminal) {
  private static final int STEP_MILLIS = 100;

  /** Trace that was written. */
  private record Written(String program, int pid, long nanos, boolean hasEnded, boolean isValid) {}

  /** Records; returns the exit code. */
  public int run(DriverRequest request, OutputFile file) {
    Written written;
    try (AttachedProcess attached = AttachedProcess.open(machine.its(), request.process())) {
      written = record(attached, request, file);
    }
    Gaps gaps = new Gaps();
    IptTraceData trace = read(file, gaps);
    if (format == Format.JSON) {
      json(written, request, file, trace, gaps);
    } else {
      text(written, request, file, trace);
    }
    Losses.warn(gaps.list(), terminal);
    return gaps.list().isEmpty() ? ExitCode.DONE : ExitCode.INCOMPLETE;
  }

  private Written record(AttachedProcess attached, DriverRequest request, OutputFile file) {
    TargetProcess process = attached.process();
    WindowsApi calls = process.calls();
    WindowsVersion version = machine.played().orElseGet(() -> WindowsVersion.of(calls));
    try (IptDriver driver = IptDriver.open(calls.agent(), machine.libraries(), version)) {
      if (!request.ranges().isEmpty()) {
        driver.mustHaveRanges();
      }
      if (request.takesOver()) {
        end(driver, process.handle());
      }
      // From here to the end of the trace, which nobody would end if this process were gone.
      CountDownLatch interrupted = new CountDownLatch(1);
      terminal.interruption().begin(interrupted::countDown);
      try {
        return traced(driver, attached, request, file, interrupted);
      } finally {
        terminal.interruption().end();
      }
    }
  }

  private static Written traced(
      IptDriver driver,
      AttachedProcess attached,
      DriverRequest request,
      OutputFile file,
      CountDownLatch interrupted) {
    TargetProcess process = attached.process();
    start(driver, process, request);
    boolean isStopped = false;
    try {
      ranges(driver, process, request);
      long begin = System.nanoTime();
      boolean hasEnded = await(process, begin, request.nanos(), interrupted);
      long nanos = System.nanoTime() - begin;
      boolean isValid = write(driver, process, hasEnded, file);
      driver.stop(process.handle());
      isStopped = true;
      return new Written(attached.program(), process.pid(), nanos, hasEnded, isValid);
    } finally {
      if (!isStopped) {
        // The failure is told; this one would hide it.
        end(driver, process.handle());
      }
    }
  }

  private static void start(IptDriver driver, TargetProcess process, DriverRequest request) {
    try {
      driver.start(process.handle(), request.options());
    } catch (CannotGoOn e) {
      boolean isTraced = options(driver, process.handle());
      throw isTraced
          ? new CannotGoOn(
              e.message() + "; it is traced already",
              "--take-over, which ends that trace, another program's or a killed one's")
          : e;
    }
  }

  private static boolean options(IptDriver driver, long process) {
    try {
      return driver.options(process).version() != 0;
    } catch (CannotGoOn e) {
      return false;
    }
  }

  private static void end(IptDriver driver, long process) {
    try {
      driver.stop(process);
    } catch (CannotGoOn e) {
      // There is none.
    }
  }

  private static void ranges(IptDriver driver, TargetProcess process, DriverRequest request) {
    if (request.ranges().isEmpty()) {
      return;
    }
    List<Long> threads =
        request.threads().isEmpty()
            ? process.threads().list().stream().map(thread -> (long) thread.tid()).toList()
            : request.threads();
    for (long tid : threads) {
      long handle = ProcessHandles.thread(process.calls(), (int) tid);
      try {
        for (int i = 0; i < request.ranges().size(); i++) {
          driver.range(handle, i, request.ranges().get(i));
        }
      } finally {
        process.calls().call("kernel32!CloseHandle", handle);
      }
    }
  }

  /** Waits for the end of the time, of the program, or Ctrl+C; returns whether it is the second. */
  private static boolean await(
      TargetProcess process, long begin, long nanos, CountDownLatch interrupted) {
    while (interrupted.getCount() > 0 && System.nanoTime() - begin < nanos) {
      long left = (nanos - (System.nanoTime() - begin)) / 1_000_000;
      if (process.await(Math.clamp(left, 1, STEP_MILLIS)).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private static boolean write(
      IptDriver driver, TargetProcess process, boolean hasEnded, OutputFile file) {
    boolean isValid;
    try (OutputStream out = file.open()) {
      isValid = driver.read(process.handle(), out);
    } catch (IOException e) {
      throw file.failed(e);
    } catch (CannotGoOn e) {
      throw hasEnded
          ? new CannotGoOn(e.message() + "; the program has ended", "--for, before it ends")
          : e;
    }
    file.complete();
    return isValid;
  }

  private static IptTraceData read(OutputFile file, Gaps gaps) {
    try (InputFile input = InputFile.map(file.place(), file.place().toString())) {
      return IptTraceData.of(input, gaps);
    } catch (IOException e) {
      throw CannotGoOn.noSuchFile(file.place().toString(), "");
    }
  }

  private List<String> notes(Written written, DriverRequest request, OutputFile file) {
    String name = ShellWords.file(file.place());
    String code =
        written.hasEnded()
            ? "its instructions: ntrail pt flow %s -t TID --code FILE@ADDRESS".formatted(name)
            : "its instructions: ntrail dump -p %d --full -o code.dmp, then ntrail pt flow %s -t TID --code code.dmp"
                .formatted(written.pid(), name);
    String threads =
        request.ranges().isEmpty() ? "" : "Threads that began later have no ranges of addresses.";
    return Stream.of(
            code, threads, "ntrail's recordings by ipt.sys were never tried on a real Windows.")
        .filter(note -> !note.isEmpty())
        .toList();
  }

  private void text(Written written, DriverRequest request, OutputFile file, IptTraceData trace) {
    terminal
        .out()
        .println(
            "traced %s (%d) for %s%s: %s"
                .formatted(
                    written.program(),
                    written.pid(),
                    Numbers.duration(written.nanos()),
                    written.hasEnded() ? ", until it ended" : "",
                    request.options().text()));
    long bytes = trace.threads().stream().mapToLong(IptThreadTrace::ringBytes).sum();
    terminal
        .out()
        .println(
            "wrote %s: %s, rings of %s in all"
                .formatted(
                    file.place(),
                    Numbers.counted(trace.threads().size(), "thread"),
                    Numbers.bytes(bytes)));
    notes(written, request, file).forEach(note -> terminal.out().println("- " + note));
  }

  private void json(
      Written written, DriverRequest request, OutputFile file, IptTraceData trace, Gaps gaps) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.write/1");
      json.array("inputs").object().object("process");
      json.number("pid", written.pid()).text("name", written.program());
      json.endObject().endObject().endArray();
      json.object("output").text("path", file.place().toString());
      json.number("bytes", file.place().toFile().length());
      json.unknown("records").unknown("buffers").endObject();
      json.object("left").number("records", 0).object("byReason").endObject().endObject();
      json.object("added").number("images", 0).number("volumes", 0);
      json.number("descriptions", 0).endObject();
      json.object("processorTrace");
      json.text("options", Numbers.hex(request.options().word()));
      json.text("optionsText", request.options().text());
      json.bool("valid", written.isValid()).number("nanos", written.nanos());
      json.bool("programEnded", written.hasEnded()).array("threads");
      for (IptThreadTrace thread : trace.threads()) {
        json.object().number("tid", thread.threadId()).number("bytes", thread.ringBytes());
        json.endObject();
      }
      json.endArray().array("ranges");
      for (AddressRange range : request.ranges()) {
        json.object().text("use", range.use() == AddressRange.ONLY ? "only" : "stop");
        json.text("first", Numbers.hex(range.first())).text("last", Numbers.hex(range.last()));
        json.endObject();
      }
      json.endArray().array("notes");
      notes(written, request, file).forEach(json::text);
      json.endArray().endObject().array("missing").endArray();
      json.lost(0, 0).gaps(gaps.list()).endObject();
    }
  }
}
