package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionState;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Recordings of the starts of this machine: {@code record boot}, {@code --cancel}, {@code --stop}.
 *
 * @param machine that is recorded
 * @param format of the report
 */
record BootOnMachine(RecordMachine machine, ParseResult parsed, Format format, Terminal terminal) {
  static final String CANCEL = "--cancel";
  static final String STOP = "--stop";

  private static final String START = "Start";

  /** Adds the options that end what a boot began. */
  static void options(CommandSpec spec) {
    spec.addOption(CommonOptions.flag("boot: the next start is not recorded", CANCEL));
    spec.addOption(
        CommonOptions.flag("boot: ends the recording of this start, and merges it to -o", STOP));
  }

  /** Sets up this machine; nothing of it stays if that fails. */
  int set(BootRequest request) {
    BootSession session = request.session();
    Kind kind = session.kind();
    machine.ask(sessions -> {
      MachineRegistry registry = sessions.registry();
      if (registry.find(kind.key(), START).orElse(0) != 0) {
        throw new CannotGoOn(
            "a recording of the next start is set up already: %s, to %s"
                .formatted(kind.key(), file(registry, kind)),
            cancel(kind));
      }
      try {
        request.set(registry);
      } catch (CannotGoOn e) {
        request.remove(registry);
        throw e;
      }
      return true;
    });
    new BootReport(request, List.of(), cancel(kind), terminal).print(format);
    return ExitCode.DONE;
  }

  /** Removes what was set up. */
  int cancel() {
    Kind kind = BootRequest.kind(parsed);
    boolean wasSet =
        machine.ask(sessions -> {
          boolean is = sessions.registry().find(kind.key(), START).isPresent();
          if (is) {
            BootSession.remove(kind, sessions.registry());
            BootProviders.remove(sessions.registry());
          }
          return is;
        });
    String told =
        wasSet
            ? "the next start of this machine is not recorded"
            : "no recording of the next start was set up: " + kind.key();
    new SessionReport(format, terminal).told(told);
    return ExitCode.DONE;
  }

  /** Ends the recording of this start, and merges it. */
  int stop() {
    Kind kind = BootRequest.kind(parsed);
    SessionState session = machine.ask(sessions -> running(sessions, kind));
    int exit =
        new SessionEnd(machine, parsed, format, terminal)
            .stop(session.name(), terminal.outputs().of("-o"));
    boolean goesOn =
        machine.ask(sessions -> sessions.registry().find(kind.key(), START).orElse(0) != 0);
    if (goesOn) {
      terminal
          .err()
          .println("note: the next start is recorded, too, over the same file: " + cancel(kind));
    }
    return exit;
  }

  private static SessionState running(Sessions sessions, Kind kind) {
    Optional<SessionState> found = sessions.find(kind.session());
    if (found.isEmpty() && kind == Kind.GLOBAL) {
      // It is the one session of the kernel, and may have that name; others have other files.
      String file = name(file(sessions.registry(), kind));
      found =
          sessions.find(SessionState.KERNEL_NAME).filter(state -> name(state.file()).equals(file));
    }
    return found.orElseThrow(() ->
        new CannotGoOn("no recording of this start runs: " + kind.session(), "ntrail record list"));
  }

  private static String file(MachineRegistry registry, Kind kind) {
    return registry.text(kind.key(), "FileName").orElseGet(kind::defaultFile);
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('\\') + 1).toLowerCase(Locale.ROOT);
  }

  private static String cancel(Kind kind) {
    return "ntrail record boot --cancel" + (kind == Kind.GLOBAL ? "" : " --logger autologger");
  }
}
