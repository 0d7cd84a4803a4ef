package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
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
  int set(BootPlan plan) {
    Kind kind = BootRequest.kind(parsed);
    machine.ask(sessions -> {
      MachineRegistry registry = sessions.registry();
      for (String key : plan.keys()) {
        if (registry.find(key, START).orElse(0) != 0) {
          throw new CannotGoOn(
              "a recording of the next start is set up already: %s, to %s"
                  .formatted(
                      key,
                      key.equals(BootProviders.KEY) ? providers(registry) : file(registry, kind)),
              cancel(kind));
        }
      }
      try {
        plan.set(registry);
      } catch (CannotGoOn e) {
        plan.remove(registry);
        throw e;
      }
      return true;
    });
    new BootReport(plan, List.of(), cancel(kind), terminal).print(format);
    return ExitCode.DONE;
  }

  /** Removes what was set up. */
  int cancel() {
    Kind kind = BootRequest.kind(parsed);
    Kind other = kind == Kind.GLOBAL ? Kind.AUTOLOGGER : Kind.GLOBAL;
    String told =
        machine.ask(sessions -> {
          MachineRegistry registry = sessions.registry();
          boolean hasKernel = registry.find(kind.key(), START).isPresent();
          boolean hasOther = isOn(sessions, other.key());
          // Those of providers belong to the one that there is.
          boolean hasProviders =
              (hasKernel || !hasOther) && registry.find(BootProviders.KEY, START).isPresent();
          if (hasKernel) {
            BootSession.remove(kind, registry);
          }
          if (hasProviders) {
            BootProviders.remove(registry);
          }
          String rest = hasOther ? "; %s is set up: %s".formatted(other.key(), cancel(other)) : "";
          return (hasKernel || hasProviders
                  ? "the next start of this machine is not recorded"
                  : "no recording of the next start was set up: " + kind.key())
              + rest;
        });
    new SessionReport(format, terminal).told(told);
    return ExitCode.DONE;
  }

  /** Ends the recording of this start, and merges it. */
  int stop() {
    Kind kind = BootRequest.kind(parsed);
    SessionState session =
        machine.ask(sessions -> running(sessions, kind).orElseThrow(() -> ended(sessions, kind)));
    int exit =
        new SessionEnd(machine, parsed, format, terminal)
            .stop(session.name(), terminal.outputs().of("-o"));
    boolean goesOn =
        machine.ask(sessions -> isOn(sessions, kind.key()) || isOn(sessions, BootProviders.KEY));
    if (goesOn) {
      terminal
          .err()
          .println("note: the next start is recorded, too, over the same file: " + cancel(kind));
    }
    return exit;
  }

  private static Optional<SessionState> running(Sessions sessions, Kind kind) {
    Optional<SessionState> found = sessions.find(kind.session());
    if (found.isEmpty() && kind == Kind.GLOBAL) {
      // It is the one session of the kernel, and may have that name; others have other files.
      String file = name(file(sessions.registry(), kind));
      found =
          sessions.find(SessionState.KERNEL_NAME).filter(state -> name(state.file()).equals(file));
    }
    return found.or(() -> sessions.find(BootProviders.SESSION));
  }

  /** Returns the failure where none runs, with the way to what sessions wrote that have ended. */
  private CannotGoOn ended(Sessions sessions, Kind kind) {
    String told = "no recording of this start runs: " + kind.session();
    List<String> files = new ArrayList<>();
    if (isOn(sessions, kind.key())) {
      files.add(file(sessions.registry(), kind));
    }
    if (isOn(sessions, BootProviders.KEY)) {
      files.add(providers(sessions.registry()));
    }
    List<Path> written = files.stream().map(machine.files()).filter(Files::isRegularFile).toList();
    return written.isEmpty()
        ? new CannotGoOn(told, "ntrail record list")
        : new CannotGoOn(
            told + "; it was stopped, or has ended by itself, as when its file is full",
            "ntrail merge %s -o boot.etl"
                .formatted(
                    written.stream().map(ShellWords::file).collect(Collectors.joining(" "))));
  }

  private static boolean isOn(Sessions sessions, String key) {
    return sessions.registry().find(key, START).orElse(0) != 0;
  }

  private static String providers(MachineRegistry registry) {
    return registry.text(BootProviders.KEY, "FileName").orElseGet(BootProviders::defaultFile);
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
