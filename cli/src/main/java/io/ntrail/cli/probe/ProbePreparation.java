package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.compile.CopiedArguments;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.sources.ProbeCatalog;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.SkipReason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/**
 * Programs with what they run over: a recording, a program that is watched, or neither.
 *
 * @param programs run as one
 * @param arguments {@code $0}, {@code $1} and so on
 * @param isLenient true if a description may match nothing
 */
record ProbePreparation(
    List<ProbeProgram> programs, List<String> arguments, Options options, boolean isLenient) {
  ProbePreparation {
    programs = List.copyOf(programs);
    arguments = List.copyOf(arguments);
  }

  private boolean hasStacks() {
    return programs.stream().anyMatch(ProbeProgram::hasStacks);
  }

  /**
   * Opens what the programs run over.
   *
   * @param paths of a recording
   * @param request the program that is watched, if one is
   */
  ProbeInput open(
      List<Path> paths, Optional<LiveRequest> request, ParseResult parsed, Terminal terminal) {
    if (request.isEmpty()) {
      boolean hasPlaces = programs.stream().anyMatch(ProbeProgram::hasPlaces);
      return ProbeInput.open(paths, hasPlaces, parsed, terminal);
    }
    terminal.outputs().of("--keep").ifPresent(OutputFile::check);
    // Nothing is started for a program that makes no sense.
    Program program =
        ProbeProgram.parse(programs, options, new Macros(arguments, Map.of("target", "0")));
    copies(program);
    return ProbeInput.of(LiveProbes.open(ProgramHost.of(parsed), request.get()));
  }

  /** Compiles the programs. */
  ProbeRun compile(ProbeInput input, ParseResult parsed, Terminal terminal) {
    Map<String, String> names =
        input.target().stream()
            .mapToObj(pid -> Map.of("target", String.valueOf(pid)))
            .findFirst()
            .orElse(Map.of());
    Program program = ProbeProgram.parse(programs, options, new Macros(arguments, names));
    if (input.live().isPresent()) {
      plan(input.live().get(), program, parsed, terminal);
      // Each description was looked at.
      return ProbeProgram.compile(programs, program, input.source(), options, true, List.of());
    }
    return ProbeProgram.compile(
        programs, program, input.source(), options, isLenient, input.gaps());
  }

  /** Returns the memory that the programs copy of arguments. */
  private ArgumentCopies copies(Program program) {
    try {
      List<ArgumentCopies.Copy> copies = new ArrayList<>();
      int bytes = 0;
      for (CopiedArguments.Copy copy : CopiedArguments.of(program, options)) {
        bytes += ArgumentCopies.recordBytes(copy.length());
        if (bytes > ArgumentCopies.MOST_BYTES) {
          throw new CompileError(
              "D_PROTO_ARG",
              copy.place(),
              ("of a program that runs, %d bytes of each call are copied at most, and %d are asked"
                      + " for; a string takes strsize (-x strsize=64)")
                  .formatted(ArgumentCopies.MOST_BYTES, bytes));
        }
        copies.add(
            new ArgumentCopies.Copy(copy.argument(), copy.offset(), copy.length(), copy.isText()));
      }
      return new ArgumentCopies(copies);
    } catch (CompileError e) {
      throw ProbeProgram.refusal(programs, e);
    }
  }

  private void plan(LiveProbes live, Program program, ParseResult parsed, Terminal terminal) {
    List<ProbeDescription> described = ProbeProgram.described(program);
    live.plan(
        described,
        SymbolSearchPath.offline(parsed, terminal),
        ProbeProgram.arguments(programs),
        copies(program),
        hasStacks(),
        options);
    ProbeCatalog catalog = new ProbeCatalog(live);
    for (ProbeDescription one : described) {
      try {
        if (catalog.matching(one, true).isEmpty()) {
          List<PlannedFunction> refused = live.refused(one);
          if (!refused.isEmpty()) {
            PlannedFunction first = refused.getFirst();
            throw new CannotGoOn(
                "%s cannot be traced: %s"
                    .formatted(first.title(), first.reason().map(SkipReason::text).orElse("")),
                "ntrail trace --plan --why -f '%s' ...".formatted(first.title()));
          }
          if (live.mayComeLater(one)) {
            terminal
                .err()
                .println(
                    "ntrail: no loaded module has %s; waiting for others".formatted(one.text()));
          } else if (!isLenient) {
            String near = live.nearest(one);
            throw new CompileError(
                "D_PDESC_ZERO",
                one.place(),
                "no function matches %s%s"
                    .formatted(one.text(), near.isEmpty() ? "" : "; nearest: " + near));
          }
        }
      } catch (CompileError e) {
        throw ProbeProgram.refusal(programs, e);
      }
    }
    LiveReport.begin(live, terminal.err());
  }
}
