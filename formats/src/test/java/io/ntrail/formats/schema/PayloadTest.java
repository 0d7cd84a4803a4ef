package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.LittleEndian;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The engine that takes payloads apart, on payloads written by hand. */
class PayloadTest {
  private static final Guid CLASS = Guid.parse("01853a65-418f-4f36-aefc-dc0f1d2fd235");

  private static Payload read(String fields, byte[] bytes, int pointerBytes) {
    Schema schema =
        SchemaTable.of(
                "map Color = 0 red, 1 green\nbits Side = 0x1 left, 0x2 right\n"
                    + "provider Test | "
                    + CLASS
                    + " | opcode | Task\n7 Name | 2 | "
                    + fields,
                SchemaSource.KERNEL)
            .schema(CLASS, 7, 2);
    Payload payload = new Payload();
    payload.read(
        Objects.requireNonNull(schema), Bytes.copyOf(bytes, "test"), 0, bytes.length, pointerBytes);
    return payload;
  }

  /** {@code a=1 b=[2,3] c={d=4}}, and {@code +n} for bytes that are left. */
  private static String told(Payload payload) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < payload.size()) {
      i = tell(payload, i, text, true);
    }
    if (payload.restLength() > 0) {
      text.append('+').append(payload.restLength());
    }
    return text.toString().strip();
  }

  private static int tell(Payload payload, int at, StringBuilder text, boolean named) {
    Field field = payload.field(at);
    if (named) {
      text.append(field.name()).append('=');
    }
    switch (payload.token(at)) {
      case VALUE -> text.append(payload.text(at));
      case ARRAY, STRUCT -> {
        boolean array = payload.token(at) == Payload.Token.ARRAY;
        text.append(array ? '[' : '{');
        int i = at + 1;
        while (payload.token(i) != Payload.Token.END) {
          i = tell(payload, i, text, !array);
        }
        text.append(array ? ']' : '}');
      }
      case END -> throw new AssertionError();
    }
    text.append(' ');
    return payload.after(at);
  }

  @Test
  void payloadsOfOneFixedSchemaAreReadOneAfterTheOther() {
    Schema schema =
        new Schema(
            SchemaSource.KERNEL,
            null,
            null,
            null,
            List.of(
                Field.of("a", InType.UINT16),
                Field.struct("s", List.of(Field.of("p", InType.POINTER))),
                Field.of("b", InType.INT8)));
    Bytes bytes =
        Bytes.copyOf(new byte[] {9, 1, 0, 2, 0, 0, 0, -3, 7, 8, 0, 0, -1, 5, 6}, "payloads");
    Payload payload = new Payload();
    payload.read(schema, bytes, 1, 7, 4);
    assertEquals("a=1 s={p=0x2 } b=-3", told(payload));
    payload.read(schema, bytes, 2, 8, 4);
    assertEquals("a=512 s={p=0xfd000000 } b=7 +1", told(payload));
    payload.read(schema, bytes, 1, 11, 8);
    assertEquals("a=1 s={p=0x807fd00000002 } b=0", told(payload));
    payload.read(schema, bytes, 1, 6, 4);
    assertTrue(payload.isShort());
    payload.read(schema, bytes, 1, 7, 4);
    assertEquals("a=1 s={p=0x2 } b=-3", told(payload));
  }

  @Test
  void pointersAreAsWideAsThoseOfTheWriter() {
    byte[] bytes = new LittleEndian().u64(0x1234567887654321L).u32(9).toByteArray();

    assertEquals("a=0x1234567887654321 b=9", told(read("ptr a; u32 b", bytes, 8)));
    assertEquals("a=0x87654321 b=305419896 +4", told(read("ptr a; u32 b", bytes, 4)));
  }

  @Test
  void shortPayloadHasTheFieldsThatFit() {
    byte[] bytes = new LittleEndian().u32(1).u16(2).toByteArray();
    Payload payload = read("u32 a; u32 b; wstr c", bytes, 8);

    assertEquals("a=1 +2", told(payload));
    assertTrue(payload.isShort());
  }

  @Test
  void countsAndLengthsComeFromEarlierFields() {
    byte[] bytes = new LittleEndian().u16(2).u32(5).u32(6).u8(3).u8(1).u8(2).u8(3).toByteArray();

    assertEquals(
        "n=2 v=[5 6 ] k=3 b=010203", told(read("u16 n; u32 v[n]; u8 k; bytes(k) b", bytes, 8)));
  }

  @Test
  void arrayOfTheRestLeavesWhatIsTooShortForAnElement() {
    byte[] bytes = new LittleEndian().u32(1).u32(2).u16(3).toByteArray();
    Payload payload = read("u32 v[*]", bytes, 8);

    assertEquals("v=[1 2 ] +2", told(payload));
    assertFalse(payload.isShort());
  }

  @Test
  void numbersOfAnArrayStandOneBehindTheOther() {
    byte[] bytes = new LittleEndian().u16(2).u32(5).u32(6).u16(7).u16(8).u8(9).toByteArray();
    Payload counted = read("u16 n; u32 v[n]", bytes, 8);
    Payload rest = read("u16 v[*]", bytes, 8);

    assertEquals(2, counted.words(1));
    assertEquals(2, counted.offset(1));
    assertEquals(7, rest.words(0));
    assertEquals(14, rest.length(0));
    assertEquals(-1, read("guid v[*]", bytes, 8).words(0));
    Payload cut = read("u16 n; u32 v[n]; u32 w[n]", bytes, 8);
    assertEquals("n=2 v=[5 6 ] w=[524295 ] +1", told(cut));
    assertEquals(1, cut.words(5));
    assertTrue(cut.isShort());
  }

  @Test
  void wholePayloadsOfFixedFieldsHaveTheSameTokens() {
    byte[] bytes = new LittleEndian().u32(1).u32(2).u16(3).toByteArray();

    assertTrue(read("u32 a; ptr b", bytes, 4).isFixed());
    assertFalse(read("u32 a; ptr b", bytes, 8).isFixed());
    assertFalse(read("u32 a; u16 v[*]", bytes, 8).isFixed());
    assertFalse(new Payload().isFixed());
  }

  @Test
  void structuresNest() {
    byte[] bytes = new LittleEndian().u8(2).u8(1).u16(10).u8(2).u16(20).u8(0xFF).toByteArray();

    assertEquals(
        "n=2 s=[{a=1 b={c=10 } } {a=2 b={c=20 } } ] +1",
        told(read("u8 n; {u8 a; {u16 c} b} s[n]", bytes, 8)));
  }

  @Test
  void hugeCountOfElementsWithoutBytesEnds() {
    byte[] bytes = new LittleEndian().u32(0xFFFF_FFFFL).toByteArray();
    Payload payload = read("u32 n; {pad(0)} s[n]", bytes, 8);

    assertTrue(payload.isShort());
    assertTrue(payload.size() < 20_000);
  }

  @Test
  void elementsThatShareTheRestMayLackTheirLastMembers() {
    byte[] bytes = new LittleEndian().u32(2).u32(1).u32(2).u32(3).u32(4).u8(9).toByteArray();
    String fields = "u32 n; {u32 a; u32 b; u32 c} s[/n]";
    Payload payload = read(fields, bytes, 8);

    assertEquals("n=2 s=[{a=1 b=2 } {a=3 b=4 } ] +1", told(payload));
    assertFalse(payload.isShort());
    assertEquals("n=0 s=[]", told(read(fields, new byte[4], 8)));
    assertTrue(
        read(fields, new LittleEndian().u32(0xFFFF_FFFFL).u32(1).toByteArray(), 8).isShort());
  }

  @Test
  void alignmentIsToThePointerOrToANumberOfBytes() {
    byte[] bytes = new LittleEndian().u32(1).u32(2).u64(3).u32(4).toByteArray();

    assertEquals("a=1 b=3 +4", told(read("u32 a; align; u64 b", bytes, 8)));
    assertEquals("a=1 b=12884901890 +8", told(read("u32 a; align; u64 b", bytes, 4)));
    assertEquals("a=1 b=3 +4", told(read("u32 a; align(8); u64 b", bytes, 4)));
  }

  @Test
  void processIdsMayBeAsWideAsPointers() {
    byte[] bytes = new LittleEndian().u64(7).u64(8).toByteArray();

    assertEquals("a=7 b=8", told(read("*pidp a; *tidp b", bytes, 8)));
    assertEquals("a=7 b=0 +8", told(read("*pidp a; *tidp b", bytes, 4)));
  }

  @Test
  void networkAddressesAreInNetworkOrder() {
    byte[] bytes = new byte[22];
    bytes[0] = 10;
    bytes[3] = 7;
    bytes[4] = 1;
    bytes[5] = (byte) 0xBB;
    bytes[6] = (byte) 0xFE;
    bytes[7] = (byte) 0x80;
    bytes[21] = 9;

    assertEquals("a=10.0.0.7 p=443 b=fe80::9", told(read("ip4 a; port p; ip6 b", bytes, 8)));
  }

  @Test
  void sidAfterTokenUserMayBeAbsent() {
    byte[] none = new LittleEndian().u32(0).u32(77).toByteArray();
    byte[] some =
        new LittleEndian()
            .u64(0xABCL)
            .u64(0)
            .u8(1)
            .u8(1)
            .u32(0)
            .u16(0x500)
            .u32(18)
            .u32(77)
            .toByteArray();

    assertEquals("s= a=77", told(read("wbemsid s; u32 a", none, 8)));
    assertEquals("s=S-1-5-18 a=77", told(read("wbemsid s; u32 a", some, 8)));
  }

  @Test
  void textEndsAtNulOrAtTheEnd() {
    byte[] bytes = "ab\0c\0d\0".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);

    assertEquals("a=ab b=cd", told(read("astr a; wstr b", bytes, 8)));
  }

  @Test
  void newerVersionThanKnownIsReadAsTheLastKnownOne() {
    SchemaTable table =
        SchemaTable.of(
            "provider T | " + CLASS + " | opcode | T\n1 A | 1 | u8 a\n1 A | 3 | u16 a\n",
            SchemaSource.KERNEL);

    assertNull(table.schema(CLASS, 1, 0));
    assertSame(table.schema(CLASS, 1, 1), table.schema(CLASS, 1, 2));
    assertSame(table.schema(CLASS, 1, 3), table.schema(CLASS, 1, 9));
  }
}
