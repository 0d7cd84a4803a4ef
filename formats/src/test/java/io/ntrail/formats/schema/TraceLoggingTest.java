package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Metadata written by hand, and what is made of them. */
class TraceLoggingTest {
  private static LittleEndian text(LittleEndian to, String text) {
    return to.bytes(text.getBytes(StandardCharsets.UTF_8)).u8(0);
  }

  /** Size, one empty tag, the event's name, fields. */
  static byte[] metadata(String event, UnaryOperator<LittleEndian> fields) {
    byte[] rest = fields.apply(text(new LittleEndian().u8(0), event)).toByteArray();
    return new LittleEndian().u16(2 + rest.length).bytes(rest).toByteArray();
  }

  private static Schema parse(byte[] metadata) {
    return TraceLogging.parse(Bytes.copyOf(metadata, "test"), 0, metadata.length);
  }

  private static String told(byte[] metadata, byte[] payload) {
    Payload read = new Payload();
    read.read(parse(metadata), Bytes.copyOf(payload, "test"), 0, payload.length, 8);
    return (read.isShort() ? "short " : "") + PayloadText.of(read);
  }

  @Test
  void everyInTypeTakesItsOwnBytes() {
    Object[][] types = {
      {0, "", ""},
      {1, "41004200 0000", "AB"},
      {2, "414200", "AB"},
      {3, "ff", "-1"},
      {4, "ff", "255"},
      {5, "ffff", "-1"},
      {6, "ffff", "65535"},
      {7, "ffffffff", "-1"},
      {8, "ffffffff", "4294967295"},
      {9, "ffffffffffffffff", "-1"},
      {10, "ffffffffffffffff", "18446744073709551615"},
      {11, "0000c03f", "1.5"},
      {12, "000000000000f83f", "1.5"},
      {13, "01000000", "true"},
      {14, "0200 abcd", "abcd"},
      {15, "000102030405060708090a0b0c0d0e0f", "03020100-0504-0706-0809-0a0b0c0d0e0f"},
      {16, "1000000000000000", "0x10"},
      {17, "00406d25eb53bf01", "2000-01-01T00:00:00.0000000Z"},
      {18, "e5070900040009000e003b0023001f03", "2021-09-09T14:59:35.799"},
      {19, "0101000000000005 12000000", "S-1-5-18"},
      {20, "10000000", "0x10"},
      {21, "1000000000000000", "0x10"},
      {22, "0400 41004200", "AB"},
      {23, "0200 4142", "AB"},
      {25, "0100 fe", "fe"},
    };
    for (Object[] type : types) {
      int in = (int) type[0];
      byte[] payload = HexFormat.of().parseHex(((String) type[1]).replace(" ", ""));
      byte[] with = Arrays.copyOf(payload, payload.length + 1);
      with[payload.length] = 7;
      byte[] metadata = metadata("E", m -> text(text(m, "a").u8(in), "b").u8(4));
      assertEquals("a=" + type[2] + " b=7", told(metadata, with), "in type " + in);
    }
  }

  @Test
  void pointersAreAsWideAsThoseOfTheWriter() {
    byte[] metadata = metadata("E", m -> text(m, "a").u8(16));
    Payload read = new Payload();
    byte[] payload = new LittleEndian().u64(0x1_0000_0002L).toByteArray();
    read.read(parse(metadata), Bytes.copyOf(payload, "test"), 0, payload.length, 4);

    assertEquals("a=0x2 +4", PayloadText.of(read));
  }

  @Test
  void everyOutTypeFormatsItsValues() {
    Object[][] types = {
      {0, OutType.DEFAULT},
      {1, OutType.NO_PRINT},
      {2, OutType.STRING},
      {3, OutType.BOOLEAN},
      {4, OutType.HEX},
      {5, OutType.PID},
      {6, OutType.TID},
      {7, OutType.PORT},
      {8, OutType.IPV4},
      {9, OutType.IPV6},
      {10, OutType.SOCKET_ADDRESS},
      {11, OutType.XML},
      {12, OutType.JSON},
      {13, OutType.WIN32_ERROR},
      {14, OutType.NTSTATUS},
      {15, OutType.HRESULT},
      {16, OutType.DATE_TIME},
      {17, OutType.SIGNED},
      {18, OutType.UNSIGNED},
      {35, OutType.UTF8},
      {36, OutType.HEX_BINARY},
      {37, OutType.CODE_POINTER},
      {38, OutType.DATE_TIME},
      {99, OutType.DEFAULT},
    };
    for (Object[] type : types) {
      byte[] metadata = metadata("E", m -> text(m, "a").u8(0x80 | 10).u8((int) type[0]));
      assertEquals(type[1], parse(metadata).fields().getFirst().out(), "out type " + type[0]);
    }
  }

  @Test
  void tagsOfEventsAndFieldsArePassedOver() {
    byte[] rest =
        text(
                text(text(new LittleEndian().u8(0x81).u8(0xFF).u8(0x83).u8(4), "E"), "a")
                    .u8(0x84)
                    .u8(0x83)
                    .u8(0xFF)
                    .u8(0x01),
                "b")
            .u8(4)
            .toByteArray();
    byte[] metadata = new LittleEndian().u16(2 + rest.length).bytes(rest).toByteArray();

    assertEquals("E", parse(metadata).event());
    assertEquals("a=true b=2", told(metadata, new byte[] {1, 2}));
  }

  @Test
  void countsAreFixedOrStandBeforeTheElements() {
    byte[] metadata =
        metadata("E", m -> text(text(text(m, "f").u8(0x24).u16(2), "v").u8(0x46), "n").u8(0x41));

    assertEquals(
        "f=[1 2] v=[3] n=[A ]",
        told(
            metadata,
            new LittleEndian().u8(1).u8(2).u16(1).u16(3).u16(2).u16('A').u32(0).toByteArray()));
  }

  @Test
  void structuresNestAndRepeat() {
    // s[] { a, t { b, c }, d }, e
    byte[] metadata =
        metadata(
            "E",
            m ->
                text(
                        text(
                                text(
                                        text(text(text(m, "s").u8(0xC0 | 24).u8(3), "a").u8(4), "t")
                                            .u8(0x80 | 24)
                                            .u8(2),
                                        "b")
                                    .u8(4)
                                    .bytes(new byte[] {'c', 0, 4}),
                                "d")
                            .u8(4),
                        "e")
                    .u8(4));

    assertEquals(
        "s=[{a=1 t={b=2 c=3} d=4} {a=5 t={b=6 c=7} d=8}] e=9",
        told(metadata, new byte[] {2, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }

  @Test
  void customSchemaIsPassedOverAndItsValueIsCountedBytes() {
    byte[] metadata =
        metadata("E", m -> text(text(m, "a").u8(0x60 | 4).u16(3).u8(9).u8(9).u8(9), "b").u8(4));

    assertEquals("a=aabb b=5", told(metadata, new byte[] {2, 0, (byte) 0xAA, (byte) 0xBB, 5}));
  }

  @Test
  void eventWithoutANameHasNone() {
    assertNull(parse(metadata("", m -> text(m, "a").u8(4))).event());
    assertEquals("x", parse(metadata(" x ", m -> m)).event());
  }

  @Test
  void unknownTypeEndsTheFieldsThatAreRead() {
    byte[] metadata = metadata("E", m -> text(text(text(m, "a").u8(4), "b").u8(26), "c").u8(4));

    assertEquals("a=1 +2", told(metadata, new byte[] {1, 2, 3}));
  }

  @Test
  void traitsHaveNameAndGroup() {
    byte[] traits =
        new LittleEndian()
            .u16(2 + 5 + 4 + 19)
            .bytes("Name\0".getBytes(StandardCharsets.UTF_8))
            .u16(4)
            .u8(7)
            .u8(0)
            .u16(19)
            .u8(1)
            .u64(0x0706050403020100L)
            .u64(0x0F0E0D0C0B0A0908L)
            .toByteArray();
    Bytes bytes = Bytes.copyOf(traits, "test");

    assertEquals("Name", TraceLogging.providerName(bytes, 0, traits.length));
    assertEquals(
        "03020100-0504-0706-0809-0a0b0c0d0e0f",
        Objects.toString(TraceLogging.traits(bytes, 0, traits.length).group()));
    for (int length = 0; length < traits.length; length++) {
      assertNull(TraceLogging.traits(bytes, 0, length).group());
    }
  }

  @Test
  void schemaIsFoundByTheBytesOfItsMetadata() {
    byte[] one = metadata("E", m -> text(m, "a").u8(4));
    byte[] other = metadata("E", m -> text(m, "b").u8(4));
    byte[] both = new LittleEndian().bytes(one).bytes(other).bytes(one).toByteArray();
    Bytes bytes = Bytes.copyOf(both, "test");
    TraceLoggingSchemas schemas = new TraceLoggingSchemas();
    Schema first = schemas.schema(bytes, 0, one.length);

    assertSame(first, schemas.schema(bytes, one.length + other.length, one.length));
    assertNotSame(first, schemas.schema(bytes, one.length, other.length));
    assertEquals("a", first.fields().getFirst().name());
    assertEquals("b", schemas.schema(bytes, one.length, other.length).fields().getFirst().name());
    assertEquals(2, schemas.size());
  }

  @Test
  void keptSchemasAreBounded() {
    TraceLoggingSchemas schemas = new TraceLoggingSchemas();
    for (int i = 0; i < 20_000; i++) {
      byte[] metadata = metadata("E" + i, m -> text(m, "a").u8(4));
      Bytes bytes = Bytes.copyOf(metadata, "test");
      assertEquals("E" + i, schemas.schema(bytes, 0, metadata.length).event());
      assertTrue(schemas.size() <= 4096);
    }
  }

  @Test
  void metadataCutAnywhereGiveTheFieldsBeforeTheCut() {
    byte[] metadata =
        metadata(
            "Event",
            m ->
                text(
                        text(text(m, "s").u8(0xC0 | 24).u8(2), "x").u8(0xA4).u8(0x84).u8(1).u16(2),
                        "y")
                    .u8(0x68)
                    .u16(2)
                    .u16(0));
    for (int length = 0; length <= metadata.length; length++) {
      byte[] cut = Arrays.copyOf(metadata, length);
      Schema schema = parse(cut);
      assertTrue(schema.fieldCount() <= 3);
      read(schema, metadata);
    }
    assertEquals(3, parse(metadata).fieldCount());
  }

  @Test
  void flippedBitsNeitherThrowNorHang() {
    byte[] metadata =
        metadata(
            "Event",
            m -> {
              for (int i = 0; i < 60; i++) {
                text(m, "f" + i).u8(i % 26 | (i % 4) << 5);
                if (i % 4 % 2 == 1) {
                  m.u16(2).u16(0);
                }
              }
              return m;
            });
    SplittableRandom random = new SplittableRandom(7);
    ProcessorTime.within(
        Duration.ofSeconds(20),
        () -> {
          for (int run = 0; run < 20_000; run++) {
            byte[] broken = metadata.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
              broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
            }
            read(parse(broken), metadata);
          }
        });
  }

  @Test
  void structuresNestedWithoutEndStopAtTheDeepestLevel() {
    byte[] metadata =
        metadata(
            "E",
            m -> {
              for (int i = 0; i < 10_000; i++) {
                m.u8(0).u8(0x80 | 24).u8(127);
              }
              return m;
            });
    Schema schema = parse(metadata);

    assertEquals(Schema.MAX_DEPTH, schema.fieldCount());
    read(schema, metadata);
  }

  @Test
  void thousandsOfNamelessFieldsTakeNoLongerThanTheirBytes() {
    byte[] metadata =
        metadata(
            "E",
            m -> {
              for (int i = 0; i < 30_000; i++) {
                m.u8(0).u8(0);
              }
              return m;
            });
    byte[] same =
        metadata(
            "E",
            m -> {
              for (int i = 0; i < 20_000; i++) {
                m.u8('a').u8(0).u8(0);
              }
              return m;
            });
    ProcessorTime.within(
        Duration.ofSeconds(5),
        () -> {
          assertEquals(30_000, parse(metadata).fieldCount());
          assertEquals(20_000, parse(same).fieldCount());
        });
  }

  /** Any payload does: it must come to an end, and every value must have a text. */
  static void read(Schema schema, byte[] payload) {
    Payload read = new Payload();
    read.read(schema, Bytes.copyOf(payload, "test"), 0, payload.length, 8);
    for (int i = 0; i < read.size(); i++) {
      if (read.token(i) == Payload.Token.VALUE) {
        read.text(i);
      }
    }
  }
}
