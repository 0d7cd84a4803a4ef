package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Trace message formats written by hand: there is no file of a real program to test with. */
class TmfTest {
  private static final Guid GUID = Guid.parse("2818ef08-6a54-396f-2244-5a6ea4a98cf0");
  static final String SMALL =
      """
      // PDB:  driver.pdb
      2818ef08-6a54-396f-2244-5a6ea4a98cf0 driver // SRC=main.c MJ= MN=
      #typev main_c123 10 "%0%!FUNC! opened \\"%10!s!\\": %11!s! after %12!d! // ms" //   LEVEL=TRACE_LEVEL_INFO FLAGS=OPEN FUNC=Open
      {
      Name, ItemWString -- 10
      State, ItemListByte(closed,open) -- 11
      Time, ItemLong -- 12
      }
      #typev main_c200 11 "%0nothing" //   LEVEL=X
      {
      }
      """;

  private static Tmf.Message message(Tmf tmf, int number) {
    return Objects.requireNonNull(tmf.message(GUID, number));
  }

  private static String fill(Tmf.Message message, byte[] bytes) {
    Payload payload = new Payload();
    payload.read(message.schema(), Bytes.copyOf(bytes, "test"), 0, bytes.length, 8);
    assertEquals(0, payload.restLength());
    return Objects.requireNonNull(MessageText.of(message.schema())).fill(payload, message);
  }

  @Test
  void messagesAreFoundByGuidAndNumber() {
    Tmf tmf = Tmf.parse(SMALL, "driver.tmf");
    assertEquals(List.of(), tmf.problems());
    assertEquals(2, tmf.messages().size());
    Tmf.Message message = message(tmf, 10);
    assertEquals("driver", message.component());
    assertEquals("main_c123", message.place());
    assertEquals("TRACE_LEVEL_INFO", message.text("LEVEL"));
    assertEquals("OPEN", message.text("FLAGS"));
    assertEquals("Open", message.schema().event());
    assertEquals("driver", message.schema().provider());
    assertEquals(
        "Open opened \"file\": open after -5 // ms",
        fill(message, new LittleEndian().utf16z("file").u8(1).u32(-5).toByteArray()));
    assertEquals("nothing", fill(message(tmf, 11), new byte[0]));
    assertNull(tmf.message(GUID, 12));
    assertNull(tmf.message(Guid.ZERO, 10));
  }

  private static Field item(String type) {
    Tmf tmf =
        Tmf.parse(GUID + " c\n#typev p 10 \"m\"\n{\na, b, " + type + " -- 10\n}\n", "test.tmf");
    assertEquals(List.of(), tmf.problems());
    return message(tmf, 10).schema().fields().getFirst();
  }

  @Test
  void everyItemTypeHasItsBytes() {
    Object[][] items = {
      {"ItemChar", InType.INT8},
      {"ItemUChar", InType.UINT8},
      {"ItemShort", InType.INT16},
      {"ItemLong", InType.INT32},
      {"ItemULong", InType.UINT32},
      {"ItemLongLong", InType.INT64},
      {"ItemULongLong", InType.UINT64},
      {"ItemLongLongX", InType.HEX_INT64},
      {"ItemLongLongXX", InType.HEX_INT64},
      {"ItemPtr", InType.POINTER},
      {"ItemDouble", InType.DOUBLE},
      {"ItemString", InType.ANSI_STRING},
      {"ItemRString", InType.ANSI_STRING},
      {"ItemWString", InType.UNICODE_STRING},
      {"ItemRWString", InType.UNICODE_STRING},
      {"ItemPString", InType.COUNTED_ANSI},
      {"ItemPWString", InType.COUNTED_STRING},
      {"ItemGuid", InType.GUID},
      {"ItemTimestamp", InType.FILETIME},
      {"ItemNTSTATUS", InType.UINT32},
      {"ItemHRESULT", InType.UINT32},
      {"ItemWINERROR", InType.UINT32},
      {"ItemIPAddr", InType.UINT32},
      {"ItemIPV6Addr", InType.BINARY},
      {"ItemPort", InType.UINT16},
      {"ItemSid", InType.SID},
      {"ItemHEXDump", InType.COUNTED_BINARY},
      {"ItemMACAddr", InType.BINARY},
      {"ItemListLong(a,b)", InType.UINT32},
      {"ItemListShort( a , b )", InType.UINT16},
      {"ItemSetByte(a,b)", InType.UINT8},
      {"ItemEnum(E)", InType.UINT32},
    };
    for (Object[] item : items) {
      assertEquals(item[1], item((String) item[0]).in(), (String) item[0]);
      assertEquals("a, b", item((String) item[0]).name());
    }
    assertEquals(OutType.NTSTATUS, item("ItemNTSTATUS").out());
    assertEquals("b", Objects.requireNonNull(item("ItemListLong(a,b)").map()).text(1));
    assertEquals("a|b", Objects.requireNonNull(item("ItemSetByte(a,b)").map()).text(3));
  }

  @Test
  void unknownTypesEndTheArgumentsOfTheirMessageOnly() {
    Tmf tmf =
        Tmf.parse(
            SMALL.replace("State, ItemListByte(closed,open)", "State, ItemStrange(x)"), "x.tmf");

    assertEquals(List.of("x.tmf, line 6: unknown type ItemStrange(x)"), tmf.problems());
    assertEquals(1, message(tmf, 10).schema().fieldCount());
    assertNotNull(tmf.message(GUID, 11));
  }

  @Test
  void otherFilesAreRefused() {
    assertThrows(CannotGoOn.class, () -> Tmf.parse("", "x.tmf"));
    assertEquals(
        "x.tmf, line 1: not a GUID, #typev or argument line",
        assertThrows(CannotGoOn.class, () -> Tmf.parse("hello\n", "x.tmf")).message());
    assertEquals(
        "x.tmf, line 1: #typev before any GUID",
        assertThrows(CannotGoOn.class, () -> Tmf.parse("#typev a 1 \"b\"\n", "x.tmf")).message());
  }

  @Test
  void cutAnywhereItGivesWhatIsThereOrIsRefused() {
    for (int length = 0; length < SMALL.length(); length++) {
      parse(SMALL.substring(0, length));
    }
  }

  @Test
  void damagedTextNeitherThrowsAnythingElseNorHangs() {
    SplittableRandom random = new SplittableRandom(9);
    ProcessorTime.within(
        Duration.ofSeconds(20),
        () -> {
          for (int run = 0; run < 20_000; run++) {
            StringBuilder text = new StringBuilder(SMALL);
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
              int at = random.nextInt(text.length());
              text.setCharAt(at, (char) (text.charAt(at) ^ 1 << random.nextInt(8)));
            }
            parse(text.toString());
          }
        });
  }

  private static void parse(String text) {
    try {
      assertTrue(!Tmf.parse(text, "x.tmf").messages().isEmpty());
    } catch (CannotGoOn e) {
      assertNotNull(e.message());
    }
  }
}
