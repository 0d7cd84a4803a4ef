package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Manifests written by hand. */
class ManifestTest {
  static final String SMALL =
      """
      <?xml version="1.0" encoding="utf-8"?>
      <instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
       <instrumentation>
        <events>
         <provider name="Test-Provider" guid="{11111111-2222-3333-4455-66778899aabb}" symbol="P">
          <channels><channel name="c"><publishing><keywords>1</keywords></publishing></channel></channels>
          <keywords><keyword name="Net" mask="0x10" message="$(string.k)"/><keyword name="Top" mask="0x8000000000000000"/></keywords>
          <levels><level name="Loud" value="17"/></levels>
          <tasks>
           <task name="T" value="5" message="$(string.t)" eventGUID="{3044f61a-99b0-4c21-b203-d39423c73b00}">
            <opcodes><opcode name="Own" value="30"/></opcodes>
           </task>
          </tasks>
          <opcodes><opcode name="Go" value="12" message="$(string.nowhere)"/></opcodes>
          <maps>
           <valueMap name="State"><map value="0" message="$(string.off)"/><map value="1" message="On "/></valueMap>
           <bitMap name="Bits"><map value="0x1" message="a"/><map value="0x80000000" message="z"/></bitMap>
          </maps>
          <templates>
           <template tid="A">
            <data name="Count" inType="win:UInt8"/>
            <data name="Size" inType="win:UInt16" outType="win:HexInt16"/>
            <data name="Blob" inType="win:Binary" length="Size"/>
            <struct name="Items" count="Count">
             <data name="Len" inType="win:UInt8"/>
             <data name="Text" inType="win:UnicodeString" length="Len"/>
             <data name="State" inType="win:UInt32" map="State"/>
            </struct>
            <data name="Three" inType="win:UInt8" count="3"/>
            <UserData><Any xmlns="x"><data name="no"/></Any></UserData>
           </template>
           <template tid="B"><data name="Flags" inType="win:UInt32" map="Bits"/></template>
          </templates>
          <events>
           <event value="1" version="2" template="A" task="T" opcode="Go" level="win:Error" keywords="Net Top" message="$(string.m)" symbol="S"/>
           <event value="2" template="B" task="T" opcode="Own" level="Loud"/>
           <event value="3" name="Named" task="T" opcode="win:Info"/>
           <event value="4" task="T" opcode="win:Start"/>
           <event value="5"/>
          </events>
         </provider>
        </events>
       </instrumentation>
       <localization>
        <resources culture="de-DE"><stringTable>
         <string id="t" value="Aufgabe"/><string id="m" value="Hallo"/><string id="off" value="Aus"/>
        </stringTable></resources>
        <resources culture="en-US"><stringTable>
         <string id="t" value="Task "/><string id="m" value="Hello %1%n"/><string id="k" value="Network"/>
        </stringTable></resources>
       </localization>
      </instrumentationManifest>
      """;

  private static Manifest parse(String xml) {
    return Manifest.parse(xml.getBytes(StandardCharsets.UTF_8), "test.man");
  }

  private static Manifest.Event event(Manifest manifest, int id, int version) {
    return Objects.requireNonNull(manifest.providers().getFirst().event(id, version));
  }

  private static String told(Schema schema, byte[] payload) {
    Payload read = new Payload();
    read.read(schema, Bytes.copyOf(payload, "test"), 0, payload.length, 8);
    return (read.isShort() ? "short " : "") + PayloadText.of(read);
  }

  @Test
  void namesNumbersAndTextsComeFromWhereTheEventPoints() {
    Manifest manifest = parse(SMALL);
    assertEquals(List.of(), manifest.problems());
    Manifest.Provider provider = manifest.providers().getFirst();
    assertEquals("Test-Provider", provider.name());
    assertEquals("11111111-2222-3333-4455-66778899aabb", provider.guid().toString());
    assertEquals(Map.of(0x10L, "Network", Long.MIN_VALUE, "Top"), provider.keywords());

    Manifest.Event event = event(manifest, 1, 2);
    assertEquals("Task/Go", event.schema().event());
    assertEquals("Hello %1%n", event.schema().message());
    assertEquals("Test-Provider", event.schema().provider());
    assertEquals(SchemaSource.MANIFEST, event.schema().source());
    assertEquals(List.of(2, 5, 12), List.of(event.level(), event.task(), event.opcode()));
    assertEquals("Error", event.levelName());
    assertEquals(List.of("Network", "Top"), event.keywordNames());
    assertEquals(0x8000_0000_0000_0010L, event.keyword());
    assertEquals("S", event.symbol());
    assertEquals("3044f61a-99b0-4c21-b203-d39423c73b00", event.eventGuid().toString());

    assertEquals("Task/Own", event(manifest, 2, 0).schema().event());
    assertEquals(
        List.of(17, 30), List.of(event(manifest, 2, 0).level(), event(manifest, 2, 0).opcode()));
    assertEquals("Named", event(manifest, 3, 0).schema().event());
    assertEquals("Task/Start", event(manifest, 4, 0).schema().event());
    assertNull(event(manifest, 5, 0).schema().event());
    assertNull(provider.event(1, 0));
  }

  @Test
  void lengthsAndCountsAreNumbersOrFields() {
    Schema schema = event(parse(SMALL), 1, 2).schema();

    assertEquals(
        "Count=2 Size=0x1 Blob=aa Items=[{Len=1 Text=A State=1} {Len=0 Text= State=0}]"
            + " Three=[7 8 9]",
        told(
            schema,
            new LittleEndian()
                .u8(2)
                .u16(1)
                .u8(0xAA)
                .u8(1)
                .u16('A')
                .u32(1)
                .u8(0)
                .u32(0)
                .u8(7)
                .u8(8)
                .u8(9)
                .toByteArray()));
    ValueMap states = Objects.requireNonNull(schema.fields().get(3).members().get(2).map());
    assertEquals(Map.of(0L, "Aus", 1L, "On"), states.texts());
    ValueMap bits =
        Objects.requireNonNull(event(parse(SMALL), 2, 0).schema().fields().getFirst().map());
    assertEquals("a|z", bits.text(0x8000_0001L));
  }

  @Test
  void everyInTypeAndOutTypeIsKnown() {
    List<String> ins =
        List.of(
            "UnicodeString",
            "AnsiString",
            "Int8",
            "UInt8",
            "Int16",
            "UInt16",
            "Int32",
            "UInt32",
            "Int64",
            "UInt64",
            "Float",
            "Double",
            "Boolean",
            "Binary",
            "GUID",
            "Pointer",
            "FILETIME",
            "SYSTEMTIME",
            "SID",
            "HexInt32",
            "HexInt64",
            "CountedUnicodeString",
            "CountedAnsiString",
            "CountedBinary");
    for (String in : ins) {
      Manifest manifest =
          parse(
              SMALL.replace(
                  "<data name=\"Count\" inType=\"win:UInt8\"/>",
                  "<data name=\"Count\" inType=\"win:" + in + "\"/>"));
      assertEquals(List.of(), manifest.problems(), in);
    }
    for (String out :
        List.of(
            "win:PID",
            "win:TID",
            "win:Port",
            "win:IPv4",
            "win:NTSTATUS",
            "xs:boolean",
            "win:HexInt32",
            "win:Win32Error",
            "win:HResult",
            "xs:string",
            "win:CodePointer")) {
      Manifest manifest =
          parse(
              SMALL.replace(
                  "<data name=\"Flags\" inType=\"win:UInt32\" map=\"Bits\"/>",
                  "<data name=\"Flags\" inType=\"win:UInt32\" outType=\"" + out + "\"/>"));
      assertTrue(event(manifest, 2, 0).schema().fields().getFirst().out() != OutType.DEFAULT, out);
    }
  }

  @Test
  void invalidPartsAreReportedWithTheirLineAndTheRestIsRead() {
    Manifest manifest =
        parse(
            SMALL
                .replace("inType=\"win:UInt16\"", "inType=\"win:Other\"")
                .replace("mask=\"0x10\"", "mask=\"many\"")
                .replace("map=\"Bits\"", "map=\"Gone\"")
                .replace("opcode=\"Own\" level=\"Loud\"", "opcode=\"Lost\"")
                .replace("<event value=\"5\"/>", "<event value=\"70000\"/>"));

    assertEquals(
        List.of(
            "test.man, line 22: field Size is of unknown type win:Other",
            "test.man, line 32: no map Gone",
            "test.man, line 7: not a number from 0 to 18446744073709551615: many",
            "test.man, line 7: not a number from 0 to 18446744073709551615: many",
            "test.man, line 36: refers to Lost, which is not defined",
            "test.man, line 39: not a number from 0 to 65535: 70000"),
        manifest.problems());
    assertEquals(1, event(manifest, 1, 2).schema().fieldCount());
  }

  @Test
  void otherFilesAreRefusedWithTheirLine() {
    assertEquals(
        "test.man, line 3: not XML: XML document structures must start and end within the same"
            + " entity.",
        assertThrows(CannotGoOn.class, () -> parse("<a>\n<b>\n")).message());
    assertEquals(
        "test.man: contains no provider",
        assertThrows(CannotGoOn.class, () -> parse("<a/>")).message());
    assertThrows(CannotGoOn.class, () -> parse(""));
    assertThrows(CannotGoOn.class, () -> Manifest.parse(new byte[64], "zeros"));
  }

  @Test
  void sentManifestsNeverThrow() {
    Manifest.Result result = Manifest.parseSent("<a>", "recording");
    assertNull(result.manifest());
    assertTrue(result.reason().contains("not XML"), result.reason());

    Manifest sent = Manifest.parseSent("\uFEFF" + SMALL, "recording").manifest();
    assertEquals(
        SchemaSource.EVENT_SOURCE, event(Objects.requireNonNull(sent), 1, 2).schema().source());
  }

  @Test
  void manifestInUtf16IsRead() {
    byte[] xml = SMALL.replace("utf-8", "utf-16").getBytes(StandardCharsets.UTF_16);

    assertEquals(5, Manifest.parse(xml, "test.man").providers().getFirst().events().size());
  }

  @Test
  void invalidTextIsRefusedSilently() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      byte[] xml = SMALL.getBytes(StandardCharsets.UTF_8);
      xml[xml.length / 2] = (byte) 0xFF;
      CannotGoOn broken = assertThrows(CannotGoOn.class, () -> Manifest.parse(xml, "test.man"));
      assertEquals("test.man, line 24: not XML: not valid text in UTF-8", broken.message());
      byte[] strange = SMALL.replace("utf-8", "klingon").getBytes(StandardCharsets.UTF_8);
      CannotGoOn unknown =
          assertThrows(CannotGoOn.class, () -> Manifest.parse(strange, "test.man"));
      assertEquals(
          "test.man, line 1: not XML: Invalid encoding name \"klingon\".", unknown.message());
    } finally {
      System.setErr(before);
    }
    assertEquals("", printed.toString(StandardCharsets.UTF_8));
  }

  @Test
  void otherEncodingsAreRead() {
    byte[] latin = SMALL.replace("utf-8", "iso-8859-1").getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(1, Manifest.parse(latin, "test.man").providers().size());
    byte[] marked = ("\uFEFF" + SMALL).getBytes(StandardCharsets.UTF_8);
    assertEquals(1, Manifest.parse(marked, "test.man").providers().size());
    byte[] bare = SMALL.replace("utf-8", "utf-16").getBytes(StandardCharsets.UTF_16LE);
    assertEquals(1, Manifest.parse(bare, "test.man").providers().size());
  }

  @Test
  void documentTypesAndEntitiesAreRefusedAtOnce() {
    StringBuilder bomb = new StringBuilder("<!DOCTYPE x [<!ENTITY a0 \"aaaaaaaaaa\">");
    for (int i = 1; i < 20; i++) {
      bomb.append("<!ENTITY a").append(i).append(" \"");
      bomb.append(("&a" + (i - 1) + ";").repeat(10)).append("\">");
    }
    String file = TestFile.URI;
    for (String xml :
        List.of(
            bomb + "]><provider name='&a19;'>&a19;</provider>",
            "<!DOCTYPE x [<!ENTITY f SYSTEM '" + file + "'>]><provider name='x'>&f;</provider>",
            "<!DOCTYPE x SYSTEM '" + file + "'><provider name='x'/>",
            "<!DOCTYPE x [<!ENTITY % p SYSTEM '" + file + "'>%p;]><provider name='x'/>")) {
      ProcessorTime.within(
          Duration.ofSeconds(5),
          () -> {
            String reason = Manifest.parseSent(xml, "x").reason();
            assertTrue(!reason.isEmpty());
            assertThrows(CannotGoOn.class, () -> parse(xml));
          });
    }
  }

  /** File that must never be opened. */
  private static final class TestFile {
    static final String URI = "file:///nonexistent/ntrail";
  }

  @Test
  void deepNestingIsRefused() {
    String xml = "<a>".repeat(100_000) + "</a>".repeat(100_000);
    assertTrue(
        assertThrows(CannotGoOn.class, () -> parse(xml)).message().contains("nested deeper"));

    String structs = "<struct name='s'>".repeat(40) + "</struct>".repeat(40);
    Manifest manifest =
        parse(SMALL.replace("<data name=\"Flags\" inType=\"win:UInt32\" map=\"Bits\"/>", structs));
    assertTrue(event(manifest, 2, 0).schema().fieldCount() <= Schema.MAX_DEPTH);
    assertTrue(manifest.problems().getFirst().contains("nested deeper"));
  }

  @Test
  void manyEventsWithOneLargeTemplateShareItsFields() {
    StringBuilder xml =
        new StringBuilder("<provider guid='{11111111-2222-3333-4455-66778899aabb}'><templates>");
    xml.append("<template tid='t'>");
    for (int i = 0; i < 20_000; i++) {
      xml.append("<data name='x' inType='win:Int8' length='x'/>");
    }
    xml.append("</template></templates><events>");
    for (int i = 0; i < 60_000; i++) {
      xml.append("<event value='").append(i).append("' template='t'/>");
    }
    xml.append("</events></provider>");
    ProcessorTime.within(
        Duration.ofSeconds(20),
        () -> {
          Manifest manifest = parse(xml.toString().replaceFirst(" length='x'", ""));
          assertEquals(60_000, manifest.providers().getFirst().events().size());
          assertEquals(20_000, event(manifest, 7, 0).schema().fieldCount());
        });
  }

  @Test
  void referencesDoNotMultiplyTexts() {
    String xml =
        "<m><provider guid='{11111111-2222-3333-4455-66778899aabb}'><events>"
            + ("<event value='1' message='" + "$(string.s)".repeat(500) + "'/>").repeat(500)
            + "</events></provider><resources><stringTable><string id='s' value='"
            + "x".repeat(100_000)
            + "'/></stringTable></resources></m>";
    ProcessorTime.within(
        Duration.ofSeconds(10),
        () -> {
          Manifest manifest = parse(xml);
          long chars = 0;
          for (Manifest.Event event : manifest.providers().getFirst().events()) {
            chars += Objects.requireNonNull(event.schema().message()).length();
          }
          assertTrue(chars < 40_000_000, "characters: " + chars);
        });
  }

  @Test
  void cutAnywhereItIsRefused() {
    byte[] xml = SMALL.strip().getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < xml.length; length += 3) {
      byte[] cut = Arrays.copyOf(xml, length);
      assertThrows(CannotGoOn.class, () -> Manifest.parse(cut, "cut"));
      assertNull(Manifest.parseSent(new String(cut, StandardCharsets.UTF_8), "cut").manifest());
    }
  }

  @Test
  void flippedBitsNeitherThrowAnythingElseNorHang() {
    byte[] xml = SMALL.getBytes(StandardCharsets.UTF_8);
    SplittableRandom random = new SplittableRandom(11);
    ProcessorTime.within(
        Duration.ofSeconds(60),
        () -> {
          for (int run = 0; run < 3000; run++) {
            byte[] broken = xml.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
              broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
              Manifest.parse(broken, "broken");
            } catch (CannotGoOn e) {
              assertNotNull(e.message());
            }
            Manifest.parseSent(new String(broken, StandardCharsets.UTF_8), "broken");
          }
        });
  }

  @Test
  void invalidTextIsReportedWithItsLineAndNothingElseIsPrinted() {
    byte[] broken = "<a>\n<b c='xx'/>\n</a>".getBytes(StandardCharsets.UTF_8);
    broken[10] = (byte) 0xFF;
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      CannotGoOn e = assertThrows(CannotGoOn.class, () -> Manifest.parse(broken, "x.man"));
      assertEquals("x.man, line 2: not XML: not valid text in UTF-8", e.getMessage());
    } finally {
      System.setErr(before);
    }
    assertEquals("", printed.toString(StandardCharsets.UTF_8));
  }
}
