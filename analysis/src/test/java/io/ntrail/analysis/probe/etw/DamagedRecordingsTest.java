package io.ntrail.analysis.probe.etw;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.analysis.probe.syntax.Macros;
import io.ntrail.analysis.probe.syntax.Parser;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Programs that look at all fields, at stacks, names, processors and times of shared recordings
 * that were spoiled: they end, in bounds, or the recording is refused in words.
 */
@Timeout(120)
class DamagedRecordingsTest {
  private static final int SEEDS = Boolean.getBoolean("ntrail.long") ? 60 : 1;
  private static final Pattern NAME = Pattern.compile("[A-Z]\\w*");
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  /** Room of aggregations; an entry takes 160 bytes at least. */
  private static final int ROOM = 1 << 18;

  private static final int LEAST_ENTRY = 160;

  /** Clauses of probes that not every recording has: those are left out there. */
  private static final String KERNEL =
      """
      sched:::on-cpu { self->on = timestamp; @on[execname] = count(); }
      sched:::off-cpu { @off[execname, args[1]->pr_fname] = sum(timestamp); }
      sched:::wakeup { @w[args[0]->pr_lwpid, args[1]->pr_psargs] = count(); }
      io:::start { @began[args[0]->b_addr] = max(timestamp); }
      io:::done { @io[args[2]->fi_pathname, args[0]->b_blkno] = max(args[0]->b_bcount); }
      proc:::create { printf("%s\\n", args[0]->pr_psargs); }
      proc:::exit { printf("%d %d\\n", args[0], args[1]); }
      proc:::lwp-create { @t[args[0]->pr_pri, args[1]->pr_fname] = count(); }
      proc:::load { @loaded[args[0]->FileName] = max(args[0]->ImageBase); }
      """;

  private static final List<String> PROGRAMS =
      List.of(
          """
          kernel:::, etw::: { @s[ustack(6), stack(3)] = count(); @m[umod(arg0)] = count(); }
          ERROR { @e[arg4] = count(); }
          """,
          """
          kernel:::, etw::: {
            @[execname, pid, tid, cpu, ppid] = count();
            @q[probefunc] = quantize(timestamp);
            @l[probename] = lquantize(walltimestamp / 1s, 0, 100, 10);
            @f[ufunc(timestamp), usym(walltimestamp)] = avg(timestamp);
          }
          """,
          KERNEL,
          "profile-100ms { @[cpu, tid, pid, execname, ppid] = count(); } tick-100ms { @n = count(); }");

  private static byte[] spoiled(byte[] file, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int at = random.nextInt(file.length / 2);
    int length = 1 + random.nextInt(Math.min(5_000, file.length / 4));
    return switch ((int) (seed % 5)) {
      case 0 -> Damage.flipBits(file, seed, 1 + random.nextInt(2_000));
      case 1 -> Damage.garbage(file, at, length, seed);
      case 2 -> Damage.remove(file, at, length);
      case 3 -> Damage.flipBits(Damage.zero(file, at, length), seed, 300, at, file.length);
      default -> Damage.cutAt(Damage.flipBits(file, seed, 500), at + length);
    };
  }

  /** Returns a program that traces each field of each event. */
  private static String allFields(EtwProbes source) {
    StringBuilder program = new StringBuilder();
    for (Probe probe : source.all()) {
      for (int i = 0; i < probe.arguments().size(); i++) {
        if (probe.arguments().get(i) instanceof Type.Fields its) {
          traces(program, "%d { trace(args[%d]->".formatted(probe.id(), i), its);
        }
      }
    }
    return program.append("BEGIN { n = 0; }").toString();
  }

  /** Appends clauses that trace fields, those of structures, and an element of each list. */
  private static void traces(StringBuilder program, String begin, Type.Fields fields) {
    for (Type.Fields.Field field : fields.fields()) {
      if (!NAME.matcher(field.name()).matches()) {
        continue;
      }
      String path = begin + field.name();
      Type type = field.type();
      if (type instanceof Type.Elements elements) {
        path += "[%d]".formatted(program.length() % 3);
        type = elements.of();
      }
      if (type instanceof Type.Fields inner) {
        traces(program, path + ".", inner);
      } else {
        program.append(path).append("); }\n");
      }
    }
  }

  private static String ofKnownProbes(String program, EtwProbes source) {
    return program
        .lines()
        .filter(clause ->
            source.all().stream()
                .anyMatch(
                    probe -> clause.startsWith(probe.provider() + ":::" + probe.name() + " ")))
        .collect(Collectors.joining("\n", "BEGIN { n = 0; }\n", ""));
  }

  /** Runs a program; all fields without one. */
  private static void check(byte[] file, Optional<String> program) throws IOException {
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "spoiled")))) {
      Events events = Events.of(recording, SOURCES, 1, Events.Learn.ADDRESSES);
      try (RecordingSymbols symbols =
              new RecordingSymbols(events.machine().images(), new PdbSearch(List.of()));
          PrintStream err =
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)) {
        EtwProbes source = new EtwProbes(events, symbols);
        Options options = new Options();
        options.set("aggsize", Optional.of(Integer.toString(ROOM)));
        ProbeRun run =
            new ProbeRun(
                source,
                Parser.parse(
                    program
                        .map(text -> text.equals(KERNEL) ? ofKnownProbes(text, source) : text)
                        .orElseGet(() -> allFields(source)),
                    new Macros(List.of("test"), Map.of()),
                    ProbeDescription.Field.NAME,
                    false),
                options,
                true);
        ProbeRun.Outcome outcome = run.run(OutputStream.nullOutputStream(), err, () -> false);
        long entries = outcome.aggregations().stream().mapToLong(one -> one.entries().size()).sum();
        assertTrue(entries <= ROOM / LEAST_ENTRY, entries + " entries");
      }
    } catch (CannotGoOn e) {
      assertFalse(e.message().isEmpty());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "samples/shop.etl",
        "perfview-gcevents",
        "perfview-primitive-types",
        "perfview-SelfDescribingSingleEvent",
        "sonde-test",
        "tx-HTTP_Server",
        "pyetw-out",
        "sawbuck-image_data_64_v2-in-32bit-log",
        "sawbuck-process_data_32_v3",
        "demikernel-PktMon",
        "s4-WindowsUpdate.20251008.140245.443.8"
      })
  void programsOverADamagedRecordingEndInBounds(String name) throws IOException {
    boolean isSample = name.startsWith("samples/");
    assumeTrue(isSample || TestData.available(), TestData.MISSING);
    byte[] file =
        isSample
            ? Files.readAllBytes(TestData.projectRoot().resolve(name))
            : TestData.gunzip("etl/" + name + ".etl.gz");
    List<Optional<String>> programs = new ArrayList<>(PROGRAMS.stream().map(Optional::of).toList());
    programs.add(Optional.empty());
    for (int seed = 0; seed < SEEDS * programs.size(); seed++) {
      // Each program over recordings that were spoiled in each way, in time.
      check(spoiled(file, seed + seed / programs.size()), programs.get(seed % programs.size()));
    }
  }

  @Test
  void anEventOfAKernelClassThatNobodyKnowsIsAProbeWithoutAName() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlRecords unknown = EtlRecords.event(8, Objects.requireNonNull(ClassGuids.ofHook(0x0501)), 0);
    byte[] file =
        new EtlWriter(settings)
            .log(0, unknown.time(settings.startTicks() + 1).payload(new byte[8]).build())
            .toByteArray();
    for (String program : PROGRAMS) {
      check(file, Optional.of(program));
    }
  }
}
