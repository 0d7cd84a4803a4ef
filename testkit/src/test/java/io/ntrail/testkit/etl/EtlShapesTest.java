package io.ntrail.testkit.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import java.util.List;
import org.junit.jupiter.api.Test;

class EtlShapesTest {
  @Test
  void ringStartsInTheMiddle() {
    EtlWriter ring = EtlShapes.ring(1, 3000, 10);
    List<EtlBuffer> buffers = ring.buffers();
    assertEquals(10, buffers.size());
    long first = buffers.getFirst().sequence;
    assertTrue(buffers.stream().anyMatch(b -> b.sequence < first));
    assertTrue(buffers.stream().allMatch(b -> b.sequence > 10));
    byte[] file = ring.toByteArray();
    assertEquals(11 * 4096, file.length);
    assertArrayEquals(file, EtlShapes.ring(1, 3000, 10).toByteArray());
  }

  @Test
  void seriesContinuesCounting() {
    List<EtlWriter> series = EtlShapes.newFileSeries(2, 400, 3);
    assertEquals(series.get(0).buffers().size() + 1, series.get(1).buffers().getFirst().sequence);
  }

  @Test
  void mergedSessionsOverlapOnACpu() {
    EtlWriter merged = EtlShapes.merged(3, 500, BufferCompression.NONE);
    boolean overlap = false;
    for (EtlBuffer a : merged.buffers()) {
      for (EtlBuffer b : merged.buffers()) {
        overlap |=
            a.cpu == b.cpu
                && a.logger != b.logger
                && a.records.getFirst().time < b.records.getFirst().time
                && b.records.getFirst().time < a.lastTime();
      }
    }
    assertTrue(overlap);
    assertTrue(EtlShapes.merged(3, 500, BufferCompression.XPRESS).toByteArray().length > 0);
  }

  @Test
  void preallocatedEndsInZeros() {
    byte[] file = EtlShapes.preallocated(4, 300, 5).toByteArray();
    assertEquals(0, LittleEndian.getU32(file, file.length - 5 * 4096));
    assertEquals(file.length - 5 * 4096, 4096 * Damage.bufferOffsets(file).size());
  }

  @Test
  void everyShapeHasTheTruthInItsBytes() {
    for (EtlWriter writer :
        List.of(
            EtlShapes.outOfOrder(5, 300),
            EtlShapes.append(5, 200),
            EtlShapes.noPerProcessorBuffering(5, 200),
            EtlShapes.privateLogger(5, 200),
            EtlShapes.secure(5, 200),
            EtlShapes.inversions(5, 300))) {
      byte[] file = writer.toByteArray();
      List<Long> offsets = writer.bufferOffsets();
      for (TruthRecord truth : writer.truth()) {
        int at = Math.toIntExact(offsets.get(truth.buffer())) + truth.offset();
        byte[] bytes = truth.record().bytes();
        for (int i = 0; i < bytes.length; i++) {
          assertEquals(bytes[i], file[at + i]);
        }
      }
    }
  }

  @Test
  void damageTouchesWhatItNames() {
    byte[] file = EtlShapes.outOfOrder(6, 200).toByteArray();
    List<Integer> buffers = Damage.bufferOffsets(file);
    assertEquals(100, Damage.cutAt(file, 100).length);
    assertNotEquals(0, differences(file, Damage.flipBits(file, 1, 20)));
    assertTrue(differences(file, Damage.flipBits(file, 1, 20)) <= 20);
    assertEquals(0x7FFF_FFFFL, at(Damage.bufferSize(file, 2, 0x7FFF_FFFFL), buffers.get(2)));
    assertEquals(0xFFFF_FFFFL, at(Damage.offset(file, 2, 0xFFFF_FFFFL), buffers.get(2) + 0x30));
    assertEquals(0, at(Damage.zeroBuffer(file, 1), buffers.get(1)));
    assertEquals(file.length - 8, Damage.remove(file, 4096, 8).length);
    int record = Damage.recordOffsets(file, 1).get(3);
    assertEquals(0xFFFF_FFFFL, at(Damage.marker(file, 1, 3, 0xFFFF_FFFFL), record));
    assertTrue(differences(file, Damage.recordSize(file, 1, 3, 0)) > 0);
    assertTrue(differences(file, Damage.garbageBuffer(file, 1, 9)) > 3000);
    EtlSettings settings = EtlSettings.windows11().bufferSize(4096);
    byte[] items =
        new EtlWriter(settings)
            .log(
                0,
                EtlRecords.event(8, EtlShapes.PROVIDER, 1)
                    .time(settings.startTicks() + 1)
                    .item(9, new byte[8])
                    .item(10, new byte[8])
                    .build())
            .toByteArray();
    assertEquals(0xFFFF, LittleEndian.getU16(Damage.itemSize(items, 1, 0, 1, 0xFFFF), 4096 + 168));
    assertEquals(9, LittleEndian.getU16(Damage.itemDataSize(items, 1, 0, 1, 9), 4096 + 174));
    assertEquals(1, LittleEndian.getU16(Damage.itemLinkage(items, 1, 0, 1, 1), 4096 + 172));
  }

  private static long at(byte[] file, int offset) {
    return LittleEndian.getU32(file, offset);
  }

  private static int differences(byte[] a, byte[] b) {
    int count = 0;
    for (int i = 0; i < a.length; i++) {
      count += a[i] != b[i] ? 1 : 0;
    }
    return count;
  }
}
