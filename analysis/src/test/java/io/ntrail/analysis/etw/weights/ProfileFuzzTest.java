package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Arbitrary payloads of the records that profiles are made of, in sound records: samples, stacks
 * and their keys, images, methods, processes, threads, switches, operations, allocations.
 */
class ProfileFuzzTest {
  private static final int MOST_RECORDS = 2_000;

  /** Hook ids of the kernel's records; the byte that says which is taken modulo all kinds. */
  static final List<Integer> HOOKS =
      List.of(
          0x0F2E, 0x0F37, 0x0F2F, 0x0F48, 0x0F49, 0x0F4A, 0x1820, 0x1822, 0x1823, 0x1824, 0x1825,
          0x1826, 0x140A, 0x1402, 0x1403, 0x1404, 0x0301, 0x0302, 0x0303, 0x0304, 0x0501, 0x0502,
          0x0503, 0x0504, 0x0524, 0x0532, 0x010A, 0x010B, 0x010C, 0x010D, 0x010E, 0x010F, 0x0440,
          0x0443, 0x0444, 0x044B, 0x044C, 0x020A, 0x020E, 0x0220, 0x0262, 0x1021, 0x1022, 0x0E20);

  /** Providers and ids of events with a header of their own, after the hooks. */
  static final List<Event> EVENTS =
      List.of(
          new Event(ProfilePayloads.CLR, 10),
          new Event(ProfilePayloads.CLR, 82),
          new Event(ProfilePayloads.CLR, 143),
          new Event(ProfilePayloads.CLR, 144),
          new Event(ProfilePayloads.CLR_RUNDOWN, 0),
          new Event(ProfilePayloads.CLR_RUNDOWN, 144));

  record Event(UUID provider, int id) {}

  /**
   * A record is: kind (u8), version and time (u8: low 3 bits, others ticks since the last), CPU
   * and, of events, thread and item (u8), length of the payload (u16), payload.
   */
  @FuzzTest(maxDuration = "130s")
  void payloads(byte[] data) {
    EtlSettings settings = EtlSettings.windows11().processors(4);
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks() + 1;
    int at = 0;
    for (int n = 0; n < MOST_RECORDS && at + 5 <= data.length; n++) {
      int kind = (data[at] & 0xFF) % (HOOKS.size() + EVENTS.size());
      int version = data[at + 1] & 7;
      time += (data[at + 1] & 0xFF) >> 3;
      int who = data[at + 2] & 0xFF;
      int told = data[at + 3] & 0xFF | (data[at + 4] & 0xFF) << 8;
      int length = Math.min(Math.min(told, 8_000), data.length - at - 5);
      byte[] payload = Arrays.copyOfRange(data, at + 5, at + 5 + length);
      writer.log(who & 3, record(kind, version, time, who >> 2, payload));
      at += 5 + length;
    }
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "fuzz")))) {
      AllProfiles.check(recording);
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
    }
  }

  private static EtlRecord record(int kind, int version, long time, int who, byte[] payload) {
    if (kind < HOOKS.size()) {
      int hook = HOOKS.get(kind);
      boolean perfInfo = hook >> 8 == 0x0F || hook >> 8 == 0x18 || hook == 0x0524 || hook == 0x0532;
      EtlRecords made =
          perfInfo ? EtlRecords.perfInfo(8, hook) : EtlRecords.system(8, hook).thread(100, 101);
      return made.version(version).time(time).payload(payload).build();
    }
    Event event = EVENTS.get(kind - HOOKS.size());
    EtlRecords made =
        EtlRecords.event(8, event.provider, event.id)
            .thread(100L * (1 + who & 3), 101 + (who & 3))
            .version(version)
            .time(time);
    // The payload as a stack, or the key of one, that the event brings along.
    List<Integer> items = new ArrayList<>(List.of(5, 6, 17, 18));
    int item = who >> 2 & 7;
    if (item < items.size()) {
      made = made.item(items.get(item), payload);
    }
    return made.payload(payload).build();
  }
}
