package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Property;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of the kernel's events and of what a merge adds. */
class KernelTablesTest {

  private final SchemaTable table = SchemaTable.kernel();

  @Test
  void everyRowParses() {
    List<Schema> all = table.all();

    assertTrue(all.size() > 600, () -> all.size() + " schemas");
    all.forEach(schema -> assertTrue(schema.event() != null && schema.provider() != null));
  }

  @Test
  void mapsNameBitsAndTheNumbersAmongThem() {
    assertEquals("WrQueue", map("WaitReason").text(15));
    assertEquals("Nocache|PagingIo|PriorityNormal", map("IrpFlags").text(0x60003));
    assertEquals("PriorityCritical", map("IrpFlags").text(0xA0000));
    assertEquals("OpenIf|NonDirectoryFile", map("CreateOptions").text(0x3000040));
    assertEquals("Commit|Reserve", map("VirtualAllocFlags").text(0x3000));
  }

  private ValueMap map(String name) {
    ValueMap map = table.map(name);
    assertTrue(map != null, name);
    return map;
  }

  @Test
  void anyBytesAreReadWithoutAnExceptionAndInBoundedTime() {
    List<Schema> all = table.all();
    Payload payload = new Payload();
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () ->
            Property.check(
                20,
                gen -> {
                  byte[] bytes = gen.bytes(2000);
                  for (Schema schema : all) {
                    int pointerBytes = gen.flag() ? 8 : 4;
                    int from = gen.below(bytes.length + 1);
                    payload.read(
                        schema,
                        Bytes.copyOf(bytes, "random"),
                        from,
                        bytes.length - from,
                        pointerBytes);
                    PayloadText.readAll(payload);
                    assertTrue(payload.size() < 20_000, schema::toString);
                  }
                }));
  }
}
