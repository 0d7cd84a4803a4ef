package io.ntrail.analysis.etw.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.events.SchemaSources;
import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Definitions of stack keys, whose frames are read in the file or kept from compressed buffers. */
class StackRecordsTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);

  private static long[] frames(Property.Gen g, int pointer) {
    long[] frames = new long[g.below(12)];
    for (int i = 0; i < frames.length; i++) {
      long kernel = pointer == 8 ? RecordingBuilder.KERNEL : 0x8000_0000L;
      frames[i] = (g.below(3) == 0 ? kernel : RecordingBuilder.APP) + g.below(5);
    }
    return frames;
  }

  private static byte[] recording(EtlSettings settings, int pointer, List<long[]> stacks) {
    RecordingBuilder records = new RecordingBuilder(settings, pointer).world();
    for (int i = 0; i < stacks.size(); i++) {
      records.at(1000 + i).define(0x1822, 7 + i, stacks.get(i));
    }
    return records.writer().toByteArray();
  }

  /** The stacks that are defined in some files, as texts in any order. */
  private static List<String> defined(byte[]... files) {
    List<InputFile> inputs = Arrays.stream(files).map(file -> InputFile.of(file, "a.etl")).toList();
    List<String> found = new ArrayList<>();
    try (EtwRecording recording = EtwRecording.of(inputs)) {
      StackRecords stacks = new StackRecords(recording, SOURCES.kernel(), 2);
      for (int f = 0; f < files.length; f++) {
        try (RecordCursor record = recording.cursor(recording.files().get(f))) {
          for (int b = 0; b < recording.files().get(f).buffers().count(); b++) {
            record.open(b);
            while (record.next()) {
              stacks.visit(f, record);
            }
          }
        }
      }
      stacks.settle();
      for (int i = 0; i < stacks.definitions(); i++) {
        StackAddresses frames = new StackAddresses();
        stacks.copyDefinition(i, frames);
        found.add(Arrays.toString(frames.toArray()));
      }
    }
    found.sort(null);
    return found;
  }

  private static List<String> texts(List<long[]> stacks) {
    return stacks.stream().map(Arrays::toString).sorted().toList();
  }

  @Test
  void definitionsHaveTheFramesThatWereRecorded() {
    Property.check(
        40,
        g -> {
          int pointer = g.oneOf(4, 8);
          EtlSettings settings =
              pointer == 8 ? EtlSettings.windows11() : EtlSettings.windows7(4).perfFreq(10_000_000);
          List<long[]> stacks = new ArrayList<>();
          for (int n = g.below(40); n > 0; n--) {
            stacks.add(frames(g, pointer));
          }
          assertEquals(texts(stacks), defined(recording(settings, pointer, stacks)));
        });
  }

  @Test
  void compressedBuffersAndOtherFilesMayDefineOthers() {
    Property.check(
        40,
        g -> {
          List<long[]> plain = new ArrayList<>();
          List<long[]> packed = new ArrayList<>();
          for (int n = g.below(30); n > 0; n--) {
            (g.below(2) == 0 ? plain : packed).add(frames(g, 8));
          }
          byte[] one = recording(EtlSettings.windows11(), 8, plain);
          byte[] other = recording(EtlSettings.compressed(BufferCompression.XPRESS), 8, packed);
          List<long[]> all = new ArrayList<>(packed);
          all.addAll(plain);
          assertEquals(texts(all), defined(other, one));
        });
  }

  @Test
  void aKeyIsOfTheKernelOrOfUserModeIfAllItsFramesAre() {
    Property.check(
        40,
        g -> {
          long[] frames = frames(g, 8);
          long kernel = Arrays.stream(frames).filter(frame -> frame < 0).count();
          // A definition without frames has both, as no stack is like that.
          int halves =
              (kernel == frames.length ? StackKeys.KERNEL : 0) | (kernel == 0 ? StackKeys.USER : 0);
          boolean isPacked = g.below(2) == 0;
          EtlSettings settings =
              isPacked ? EtlSettings.compressed(BufferCompression.LZNT1) : EtlSettings.windows11();
          byte[] file = recording(settings, 8, List.of(frames));
          try (EtwRecording recording =
              EtwRecording.of(List.of(InputFile.of(file, isPacked ? "packed.etl" : "plain.etl")))) {
            StackKeys keys = new StackKeys(recording.files(), recording::isKernel);
            try (RecordCursor record = recording.cursor(recording.files().getFirst())) {
              for (int b = 0; b < recording.files().getFirst().buffers().count(); b++) {
                record.open(b);
                while (record.next()) {
                  if (StackRecords.isDefinition(record)) {
                    keys.note(0, record, record.ticks());
                  }
                }
              }
            }
            keys.settle(1);
            assertEquals(1, keys.count());
            int innermost = (int) keys.defined(0);
            assertEquals(halves, innermost & ~StackKeys.NUMBER);
            if (frames.length > 0 && halves != 0) {
              assertEquals(frames[0], keys.address(innermost & StackKeys.NUMBER));
            }
          }
        });
  }
}
