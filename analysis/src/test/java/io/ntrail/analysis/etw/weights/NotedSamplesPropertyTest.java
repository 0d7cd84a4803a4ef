package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.stacks.NotedSamples;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.StackFilter;
import io.ntrail.analysis.profile.WeightSubject;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Samples that a survey has noted are those of a walk, with the same stacks, also where events
 * share their times, stacks are late or lost, and buffers are not in order.
 */
class NotedSamplesPropertyTest {
  private static final int CPUS = 3;
  private static final int WHOLE = 1 << 30;
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  /** Small recordings full of coincidences. */
  private static final class Coincidences {
    private final Gen g;
    private final int pointer;
    private final EtlSettings settings;
    private final EtlWriter writer;
    private final List<Long> times = new ArrayList<>();
    private final List<EtlBuffer> open = new ArrayList<>();
    private final int room;
    private final int sequences;
    private long time;
    private long sequence;

    Coincidences(Gen g, long from) {
      this.g = g;
      this.pointer = g.oneOf(8, 8, 4);
      this.settings =
          (pointer == 8 ? EtlSettings.windows11() : EtlSettings.windows7(4))
              .processors(CPUS)
              .bufferSize(4096);
      this.writer = new EtlWriter(settings);
      this.room = (int) g.between(200, 1_200);
      this.sequences = g.below(3);
      this.time = settings.startTicks() + from;
      for (int cpu = 0; cpu < CPUS; cpu++) {
        open.add(newBuffer(cpu));
      }
      rundown();
      for (int i = (int) g.between(1, 2 + g.length(120)); i > 0; i--) {
        step();
      }
      for (int key = 0; key < 5; key++) {
        if (g.below(4) != 3) {
          time += g.below(2);
          log(g.below(CPUS), perfInfo(0x1824, definition(key)));
        }
      }
      open.forEach(this::end);
    }

    private EtlBuffer newBuffer(int cpu) {
      // Two sessions count their buffers each for itself, and damage changes the numbers.
      long number = sequences == 0 ? ++sequence : sequences == 1 ? g.below(4) : ++sequence / 3;
      return EtlBuffer.of(cpu, 0x1C, number);
    }

    private void end(EtlBuffer buffer) {
      if (!buffer.records().isEmpty()) {
        writer.buffer(buffer);
      }
    }

    private void log(int cpu, EtlRecord record) {
      EtlBuffer buffer = open.get(cpu);
      if (buffer.used() + record.paddedLength() > room && !buffer.records().isEmpty()) {
        // Some are lost.
        if (g.below(12) != 11) {
          end(buffer);
        }
        buffer = newBuffer(cpu);
        open.set(cpu, buffer);
      }
      buffer.add(record);
    }

    private EtlRecord perfInfo(int hook, LittleEndian payload) {
      return EtlRecords.perfInfo(pointer, hook).time(time).payload(payload).build();
    }

    private EtlRecord system(int hook, int thread, LittleEndian payload) {
      int process = thread == 0 ? 0 : 100 * (thread / 100);
      return EtlRecords.system(pointer, hook)
          .thread(process, thread)
          .time(time)
          .payload(payload)
          .build();
    }

    private void rundown() {
      for (int process = 100; process <= 200; process += 100) {
        String name = process == 100 ? "app.exe" : "svc.exe";
        log(0, system(0x0303, process + 1, ProfilePayloads.process(pointer, process, 4, name)));
        log(0, system(0x0503, process + 1, ProfilePayloads.thread(pointer, process, process + 1)));
        log(0, system(0x0503, process + 1, ProfilePayloads.thread(pointer, process, process + 2)));
      }
    }

    private int thread() {
      return g.oneOf(101, 101, 0, 102, 201, 301);
    }

    private long user() {
      return 0x40_0000L + 0x100L * g.below(4);
    }

    private long kernel() {
      return (pointer == 8 ? 0xFFFF_F800_0000_0000L : 0x8280_0000L) + 0x100L * g.below(4);
    }

    private LittleEndian definition(int key) {
      long[] frames = new long[g.below(4)];
      boolean isMixed = g.below(6) == 5;
      for (int i = 0; i < frames.length; i++) {
        frames[i] = (isMixed ? g.flag() : key < 2) ? kernel() : user();
      }
      return ProfilePayloads.keyDefinition(pointer, key, frames);
    }

    private long event() {
      int last = times.size();
      return last == 0 ? time : times.get(last - 1 - Math.min(last - 1, g.below(1 + g.below(6))));
    }

    private void step() {
      int cpu = g.below(CPUS);
      time += g.oneOf(1, 0, 0, 3);
      if (g.below(200) == 199) {
        time += g.oneOf(2_000_000L, 1L << 33, -2L);
      }
      switch (g.below(20)) {
        case 0, 1, 2, 3, 4, 5 -> sample(cpu);
        case 6, 7, 8, 9, 10, 11, 12 -> reference(g.below(4) == 3 ? g.below(CPUS) : cpu);
        case 13 ->
            log(cpu, perfInfo(0x0524, KernelPayloads.cswitch(thread(), thread(), 8, 8, 0, 5)));
        case 14 ->
            log(cpu, system(0x020A, thread(), ProfilePayloads.fault(pointer, 0x7000, user())));
        case 15 -> log(cpu, perfInfo(0x020A, ProfilePayloads.fault(pointer, 0x7000, user())));
        case 16 ->
            log(cpu, perfInfo(0x0220, ProfilePayloads.hardFault(pointer, 0, thread(), 4_096)));
        case 17 -> log(cpu, perfInfo(g.oneOf(0x1822, 0x1823, 0x1824), definition(g.below(5))));
        case 18 -> log(cpu, system(0x0503, 101, ProfilePayloads.thread(pointer, 100, 101)));
        default -> log(cpu, perfInfo(0x0F48, KernelPayloads.interval(0, 1_000 + g.below(9), "t")));
      }
      times.add(time);
    }

    private void sample(int cpu) {
      int thread = thread();
      long ip = g.flag() ? user() : kernel();
      int count = g.oneOf(1, 1, 0, 3);
      int flags = g.oneOf(0, 0, 1, 8);
      LittleEndian payload =
          g.below(20) == 19
              ? ProfilePayloads.sampleV1(pointer, ip, thread, count)
              : ProfilePayloads.sample(pointer, ip, thread, count, flags);
      log(cpu, perfInfo(0x0F2E, payload));
      times.add(time);
      if (g.below(3) == 0) {
        time += g.below(2);
        referenceTo(cpu, event(), thread);
      }
    }

    private void reference(int cpu) {
      // Also before the first record.
      referenceTo(cpu, g.below(30) == 29 ? time - 1_000 : event(), thread());
    }

    private void referenceTo(int cpu, long named, int thread) {
      int key = g.below(6);
      LittleEndian payload = ProfilePayloads.stackKey(pointer, named, 100, thread, key);
      if (g.below(40) == 39) {
        payload = new LittleEndian().u64(named).u32(100).u32(thread);
      }
      log(cpu, perfInfo(key < 2 ? 0x1825 : 0x1826, payload));
    }

    byte[] bytes() {
      return writer.toByteArray();
    }
  }

  private static String weights(ProfileInput input, WeightUnit unit, ProfileScope scope) {
    Profiler profiler =
        new Profiler(
            input, new Profiler.Request(CpuSamples.TIMER, unit, Variant.ONLY, scope), null);
    StringBuilder text = new StringBuilder();
    profiler.run(stack -> {
      text.append(stack.key()).append(" cpu ").append(stack.cpu());
      text.append(" process ").append(stack.process()).append(" thread ").append(stack.thread());
      text.append(" weight ").append(stack.weight()).append(stack.isRecorded() ? ":" : "");
      for (int i = 0; i < stack.count(); i++) {
        text.append(' ').append(profiler.functions().text(stack.function(i)));
      }
      text.append('\n');
    });
    return text.append(profiler.total())
        .append(" idle ")
        .append(profiler.idle())
        .append(" stack records ")
        .append(profiler.references())
        .append(" unmatched ")
        .append(profiler.unmatched())
        .append(" undefined ")
        .append(profiler.undefined())
        .append(" left out ")
        .append(profiler.leftOut())
        .append(' ')
        .append(profiler.owners())
        .append(profiler.unmatchedWords())
        .append(profiler.remarks().unattributed())
        .append(profiler.remarks().intervalUnknown())
        .toString();
  }

  private static ProfileScope scope(Gen g) {
    List<NamePattern> processes =
        g.below(3) == 2 ? List.of(NamePattern.of(g.oneOf("app*", "0", "300"))) : List.of();
    List<NamePattern> threads =
        g.below(5) == 4 ? List.of(NamePattern.of(g.oneOf("101", "0"))) : List.of();
    return new ProfileScope(
        processes,
        threads,
        List.of(),
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        g.oneOf(ProfileScope.Mode.ALL, ProfileScope.Mode.KERNEL, ProfileScope.Mode.USER),
        g.flag(),
        StackFilter.ALL);
  }

  /** Compares both ways; true if the samples could be noted. */
  private static boolean same(List<byte[]> files, Gen g) {
    WeightUnit unit = g.oneOf(WeightUnit.SAMPLES, WeightUnit.NANOS);
    ProfileScope scope = scope(g);
    boolean isOnlyBusy =
        unit == WeightUnit.SAMPLES
            && !scope.idle()
            && scope.processes().isEmpty()
            && scope.threads().isEmpty();
    NotedSamples.Wanted wanted = isOnlyBusy ? NotedSamples.Wanted.BUSY : NotedSamples.Wanted.ALL;
    int slice = g.oneOf(WHOLE, 3, 20);
    List<InputFile> one = files.stream().map(file -> InputFile.of(file, "a.etl")).toList();
    List<InputFile> other = files.stream().map(file -> InputFile.of(file, "a.etl")).toList();
    try (EtwRecording walked = EtwRecording.of(one);
        EtwRecording noted = EtwRecording.of(other)) {
      ProfileInput expected =
          ProfileInput.of(
              walked, SOURCES, 1, false, WeightSubject.NONE, NotedSamples.Wanted.NONE, WHOLE);
      ProfileInput actual =
          ProfileInput.of(noted, SOURCES, 1, false, WeightSubject.NONE, wanted, slice);
      assertEquals(weights(expected, unit, scope), weights(actual, unit, scope));
      assertEquals(walked.gaps(), noted.gaps());
      return actual.samples().join(actual.stacks(), 1) != null;
    }
  }

  @Test
  void whatASurveyNotesIsWhatAWalkFinds() {
    int[] noted = {0, 0};
    Property.check(
        Boolean.getBoolean("ntrail.long") ? 5_000 : 150,
        g -> {
          List<byte[]> files = new ArrayList<>();
          files.add(new Coincidences(g, 1).bytes());
          if (g.below(8) == 7) {
            files.add(new Coincidences(g, g.below(100)).bytes());
          }
          if (g.below(6) == 5) {
            byte[] first = files.getFirst();
            files.set(
                0,
                g.flag()
                    ? Damage.flipBits(first, g.bits(), 1 << g.below(5), 4_096, first.length)
                    : Damage.cutAt(first, (int) g.between(4_200, first.length - 1)));
          }
          noted[same(files, g) ? 1 : 0]++;
        });
    assertTrue(noted[1] > 20, noted[1] + " noted, " + noted[0] + " walked");
  }

  private static EtlRecord stackOf(long event, long time) {
    LittleEndian payload = ProfilePayloads.stackKey(8, event, 100, 101, 7);
    return EtlRecords.perfInfo(8, 0x1825).time(time).payload(payload).build();
  }

  @Test
  void stacksOfTimesBeforeAllRecordsCountHoweverFewAreReadAtOnce() {
    EtlSettings settings = EtlSettings.windows11();
    long start = settings.startTicks();
    LittleEndian sample = ProfilePayloads.sample(8, 0x40_0000, 101, 1, 0);
    EtlWriter writer =
        new EtlWriter(settings)
            .buffer(EtlBuffer.of(0, 0x1C, 1).add(stackOf(start - 2_000, start + 1)))
            .buffer(EtlBuffer.of(0, 0x1C, 2).add(stackOf(start - 1_000, start + 2)))
            .buffer(
                EtlBuffer.of(0, 0x1C, 3)
                    .add(EtlRecords.perfInfo(8, 0x0F2E).time(start + 3).payload(sample).build())
                    .add(stackOf(start + 3, start + 4)));
    for (int slice : new int[] {WHOLE, 1}) {
      try (EtwRecording recording =
          EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "a.etl")))) {
        ProfileInput input =
            ProfileInput.of(
                recording, SOURCES, 1, false, WeightSubject.NONE, NotedSamples.Wanted.NONE, slice);
        String told = weights(input, WeightUnit.SAMPLES, ProfileScope.ALL);
        assertTrue(told.contains(" stack records 3 unmatched 2 undefined 3 "), told);
      }
    }
  }
}
