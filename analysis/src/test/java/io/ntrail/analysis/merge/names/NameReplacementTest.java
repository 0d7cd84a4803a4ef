package io.ntrail.analysis.merge.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.merge.names.WrittenNames.Anonymous;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.EventInfoWriter;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.described.TypedEvent;
import io.ntrail.testkit.described.WppMessageWriter;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names in every place of a recording that is written by hand, and what is there afterwards. */
class NameReplacementTest {
  private static final UUID PROVIDER = UUID.fromString("0f2c3d4e-5a6b-4c7d-8e9f-a0b1c2d3e4f5");
  private static final UUID MESSAGES = UUID.fromString("77aa88bb-99cc-4dde-8eff-001122334455");
  private static final String PROFILE = "\\Device\\HarddiskVolume3\\Users\\Jane.Roe\\";
  private static final int UNICODE = 1;
  private static final int ANSI = 2;
  private static final int UTF8 = 35;

  @TempDir private Path folder;
  private EtlSettings settings = EtlSettings.windows11();
  private final List<EtlRecords> records = new ArrayList<>();

  private byte[] written() {
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks();
    for (EtlRecords record : records) {
      writer.log(0, record.time(++time).build());
    }
    return writer.toByteArray();
  }

  private Anonymous anonymous() throws IOException {
    return WrittenNames.anonymous(written(), "in.etl", 7, false, folder);
  }

  private void log(EtlRecords record, LittleEndian payload) {
    records.add(record.payload(payload));
  }

  /** The profile of Jane.Roe, by which her name is known. */
  private void logProfile() {
    log(EtlRecords.system(8, 0x0400).version(2), KernelPayloads.fileName(1, PROFILE + "x"));
  }

  private static void assertGone(Anonymous anonymous, String... names) {
    for (String name : names) {
      assertFalse(WrittenNames.holds(anonymous.bytes(), name), name);
    }
  }

  private static void assertThere(Anonymous anonymous, String... names) {
    for (String name : names) {
      assertTrue(WrittenNames.holds(anonymous.bytes(), name), name);
    }
  }

  /** Process events have what their version has: {@code sid}, image, command line. */
  private static LittleEndian process(int version, byte[] sid, String image, String commandLine) {
    LittleEndian out = new LittleEndian();
    switch (version) {
      case 0 -> out.u64(100).u64(4);
      case 1 -> out.u64(0x1000).u32(100).u32(4).u32(1).u32(0);
      default -> {
        out.u64(0x1000).u32(100).u32(4).u32(1).u32(0);
        if (version >= 3) {
          out.u64(0x2000);
        }
        if (version >= 4) {
          out.u32(0);
        }
      }
    }
    out.u64(0x1234).u64(0).bytes(sid).utf8z(image);
    if (version >= 2) {
      out.utf16z(commandLine);
    }
    return version >= 4 ? out.utf16z("").utf16z("") : out;
  }

  private static byte[] sid(long... numbers) {
    LittleEndian out = new LittleEndian().u8(1).u8(numbers.length);
    out.bytes(new byte[] {0, 0, 0, 0, 0, 5});
    for (long number : numbers) {
      out.u32(number);
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4})
  void accountsAndCommandLinesOfProcessesOfEveryVersionAreReplaced(int version) throws IOException {
    logProfile();
    byte[] sid = sid(21, 1_004_336_348L, 1_177_238_915L, 682_003_330L, 1001);
    log(
        EtlRecords.system(8, 0x0301).version(version),
        process(
            version,
            sid,
            "jane.roe-tool.exe",
            "\"C:\\Users\\Jane.Roe\\bin\\jane.roe-tool.exe\" --customer Fabrikam /out:Ledger.xlsx"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "Jane.Roe", "Fabrikam", "customer", "Ledger");
    assertThere(anonymous, "-tool.exe");
    String latin = new String(anonymous.bytes(), StandardCharsets.ISO_8859_1);
    assertFalse(latin.contains(new String(sid, 12, 16, StandardCharsets.ISO_8859_1)));
    assertTrue(latin.contains(new String(sid, 0, 12, StandardCharsets.ISO_8859_1)));
  }

  @Test
  void theTextOfASidIsReplacedByThatOfItsBytes() throws IOException {
    byte[] sid = sid(21, 1_004_336_348L, 1_177_238_915L, 682_003_330L, 1001);
    log(EtlRecords.event(8, PROVIDER, 1).item(2, sid), new LittleEndian().u32(1));
    log(
        EtlRecords.system(8, 0x0916).version(2),
        new LittleEndian()
            .u64(0)
            .u32(0)
            .u32(0)
            .u64(1)
            .utf16z(
                "\\REGISTRY\\USER\\S-1-5-21-1004336348-1177238915-682003330-1001_Classes\\Local"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "1004336348-1177238915-682003330-1001");
    byte[] bytes = anonymous.bytes();
    String latin = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = latin.indexOf(new String(sid, 0, 12, StandardCharsets.ISO_8859_1)) + 12;
    StringBuilder text = new StringBuilder("S-1-5-21");
    for (int i = 0; i < 4; i++) {
      text.append('-').append(LittleEndian.getU32(bytes, at + 4 * i));
    }
    assertThere(anonymous, text + "_Classes");
    // A machine or domain, and an account of it.
    assertEquals(2, anonymous.sids());
  }

  @Test
  void theSidsOfEveryMachineStay() throws IOException {
    log(EtlRecords.event(8, PROVIDER, 1).item(2, sid(18)), new LittleEndian().u32(1));
    log(
        EtlRecords.event(8, PROVIDER, 2).item(2, sid(32, 544)),
        new LittleEndian().utf16z("S-1-5-80-956008885-3418522649"));
    Anonymous anonymous = anonymous();
    assertThere(anonymous, "S-1-5-80-956008885-3418522649");
    String latin = new String(anonymous.bytes(), StandardCharsets.ISO_8859_1);
    assertTrue(latin.contains(new String(sid(32, 544), StandardCharsets.ISO_8859_1)));
    assertEquals(0, anonymous.sids());
  }

  @Test
  void theMachineAndItsDomainAreReplacedWhereverTheyAreNamed() throws IOException {
    LittleEndian cpu = KernelPayloads.cpu(3000, 8, 16_384, "FINANCE-PC7");
    log(EtlRecords.system(8, 0x0B0A).version(3), cpu);
    log(
        EtlRecords.event(8, PROVIDER, 1),
        new LittleEndian().u8(5).utf16z("logged on at finance-pc7.emea as FINANCE-PC7$"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "FINANCE-PC7");
    assertThere(anonymous, "WORKGROUP", "logged on at ");
  }

  @Test
  void namesInKeysOfTheRegistryAreReplacedAndTheKeysStay() throws IOException {
    LittleEndian cpu = KernelPayloads.cpu(3000, 8, 16_384, "FINANCE-PC7");
    log(EtlRecords.system(8, 0x0B0A).version(3), cpu);
    for (int hook : new int[] {0x0916, 0x0918, 0x090B}) {
      log(
          EtlRecords.system(8, hook).version(2),
          new LittleEndian()
              .u64(0)
              .u32(0)
              .u32(0)
              .u64(1)
              .utf16z("\\REGISTRY\\MACHINE\\SOFTWARE\\Vendor\\finance-pc7"));
    }
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "finance-pc7");
    assertThere(anonymous, "\\REGISTRY\\MACHINE\\SOFTWARE\\Vendor\\");
  }

  @Test
  void anAccountIsFoundInsideOfWordsButNotInWordsOfWindows() throws IOException {
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, "\\Device\\HarddiskVolume3\\Users\\msmith\\x"));
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(2, "\\Device\\HarddiskVolume3\\Users\\micro\\x"));
    log(
        EtlRecords.event(8, PROVIDER, 1),
        new LittleEndian().utf16z("backup4msmith2 by Microsoft for micro"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "msmith", "for micro");
    assertThere(anonymous, "backup4", "Microsoft");
  }

  @Test
  void whatAnEnvironmentTellsOfItsUserIsReplaced() throws IOException {
    log(
        EtlRecords.event(8, PROVIDER, 1),
        new LittleEndian()
            .utf16z("COMPUTERNAME=LAB-BENCH3")
            .utf16z("USERNAME=olga_p")
            .utf16z("PATH=C:\\Windows;D:\\Secret Tools\\bin")
            .utf16z("asked by olga_p on lab-bench3"));
    assertGone(anonymous(), "olga_p", "lab-bench3", "Secret Tools");
  }

  @Test
  void aNameOfTheFilesThatWereReadIsReplacedInTheirGaps() throws IOException {
    logProfile();
    byte[] bytes = written();
    byte[] cut = Arrays.copyOf(bytes, bytes.length - settings.bufferSize() + 100);
    Anonymous anonymous =
        WrittenNames.anonymous(cut, "/home/kim.lee/cases/acme9/in.etl", 7, false, folder);
    assertGone(anonymous, "kim.lee", "acme9");
    assertThere(anonymous, "ends in the middle of the buffer");
  }

  @Test
  void partsOfPathsAreReplacedAndThoseOfEveryMachineStay() throws IOException {
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, PROFILE + "Documents\\Merger Plan 2026\\Offer to Contoso.docx"));
    log(
        EtlRecords.system(8, 0x0424).version(2),
        KernelPayloads.fileName(2, "\\Device\\HarddiskVolume3\\Windows\\System32\\notepad.exe"));
    log(
        EtlRecords.system(8, 0x0440).version(3),
        KernelPayloads.fileCreate(1, 2, 3, "\\Device\\Mup\\fileserver9\\Payroll\\march.csv"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "Jane.Roe", "Merger Plan", "Contoso", "fileserver9", "Payroll", "march");
    assertThere(anonymous, "\\Device\\HarddiskVolume3\\Users\\", "\\Documents\\", ".docx", ".csv");
    assertThere(anonymous, "\\Device\\HarddiskVolume3\\Windows\\System32\\notepad.exe");
  }

  @Test
  void baseNamesOfImagesAndTheirSymbolsStayUnlessAnAccountIsInThem() throws IOException {
    logProfile();
    String folders = "\\Device\\HarddiskVolume3\\Orders Private\\";
    log(
        EtlRecords.system(8, 0x030A).version(3),
        KernelPayloads.image(0x10000, 0x1000, 100, 1, 2, folders + "Orders.exe"));
    log(
        EtlRecords.system(8, 0x030A).version(3),
        KernelPayloads.image(0x20000, 0x1000, 100, 1, 2, folders + "Jane.Roe.Hook.dll"));
    log(
        EtlRecords.full(8, ClassGuids.IMAGE_ID).opcode(36).version(2),
        KernelPayloads.rsds(0x10000, 100, PROVIDER, 1, "d:\\build9\\Orders Private\\Orders.pdb"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "Jane.Roe", "Orders Private", "build9");
    assertThere(anonymous, "\\Orders.exe", "\\Orders.pdb", ".Hook.dll");
  }

  @Test
  void extensionsStayWhereTheyAreAPatternOfNames() throws IOException {
    log(
        EtlRecords.system(8, 0x0448).version(3),
        new LittleEndian().u64(1).u64(2).u64(3).u32(4).u32(0).u32(0).u32(0).utf16z("*.docx"));
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, PROFILE + "Offer to Contoso.docx"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "Contoso");
    assertThere(anonymous, "*.docx");
  }

  @Test
  void aFolderNamedLikeAnImageIsReplacedAndTheImageStays() throws IOException {
    log(
        EtlRecords.system(8, 0x030A).version(3),
        KernelPayloads.image(
            0x10000, 0x1000, 1, 1, 2, "\\Device\\HarddiskVolume3\\Orders\\Orders.exe"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "\\Orders\\");
    assertThere(anonymous, "\\Orders.exe");
  }

  @Test
  void textsOfTraceLoggingAreReplacedInEitherEncoding() throws IOException {
    logProfile();
    TraceLoggingEvent event =
        new TraceLoggingEvent("Opened")
            .field("Wide", UNICODE, 0, EncodedValue.wide("by jane.roe today"))
            .field("Narrow", ANSI, UTF8, EncodedValue.narrow("owner=JANE.ROE"))
            .field("Server", UNICODE, 0, EncodedValue.wide("\\\\buildbox12"))
            .field("Number", 8, 0, EncodedValue.unsigned(4, 0x656E616AL));
    records.add(DescribedRecords.traceLogging(8, PROVIDER, "Shop", event));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "jane.roe", "buildbox12");
    // The number has the bytes of "jane".
    assertThere(anonymous, "Opened", "Narrow", "Shop", "jane", "owner=");
  }

  @Test
  void textsOfEventsThatTheRecordingDescribesAreReplaced() throws IOException {
    TypedEvent event =
        new TypedEvent()
            .field("UserName", UNICODE, 0, EncodedValue.wide("CORPNET\\jdoe"))
            .field("ComputerName", ANSI, 0, EncodedValue.narrow("ws-4711.corp.fabrikam.com"))
            .field("Detail", UNICODE, 0, EncodedValue.wide("jdoe on WS-4711 of corpnet"));
    EventInfoWriter info = new EventInfoWriter(PROVIDER, "Shop", 5, 0);
    records.add(DescribedRecords.eventInfo(info, event));
    records.add(DescribedRecords.typed(8, PROVIDER, 5, 0, event));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "jdoe", "corpnet", "ws-4711", "fabrikam");
    assertThere(anonymous, "UserName", "ComputerName");
  }

  @Test
  void argumentsOfMessagesThatNothingDescribesAreReplaced() throws IOException {
    logProfile();
    for (int pad = 0; pad < 4; pad++) {
      WppMessageWriter message =
          new WppMessageWriter(MESSAGES, "shop_c120", 10 + pad, "Open", "INFO", "X")
              .narrow("x".repeat(pad))
              .narrow("opened by jane.roe")
              .wide("C:\\Archive2019\\Jane.Roe\\");
      records.add(DescribedRecords.message(message));
    }
    assertGone(anonymous(), "jane.roe", "Archive2019");
  }

  @Test
  void namesInTheHeaderAreReplaced() throws IOException {
    settings = settings.names("Session of Jane.Roe", "C:\\Traces of Q3\\Jane.Roe\\budget run.etl");
    logProfile();
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "Jane.Roe", "Traces of Q3", "budget run");
    assertThere(anonymous, "Session of ", ".etl");
  }

  @Test
  void namesBeyondAsciiAreReplacedInEveryEncoding() throws IOException {
    String name = "Jürgen Müßig";
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, "\\Device\\HarddiskVolume3\\Users\\" + name + "\\x"));
    String text = "von JÜRGEN Müßig, " + name;
    for (Charset charset :
        List.of(
            StandardCharsets.UTF_8,
            StandardCharsets.UTF_16LE,
            StandardCharsets.UTF_16BE,
            Charset.forName("windows-1252"),
            Charset.forName("IBM850"))) {
      log(
          EtlRecords.event(8, PROVIDER, 1),
          new LittleEndian().u8(1).bytes(text.getBytes(charset)).u16(0));
    }
    byte[] bytes = anonymous().bytes();
    String latin = new String(bytes, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    for (String charset : List.of("UTF-8", "UTF-16LE", "UTF-16BE", "windows-1252", "IBM850")) {
      for (String word : List.of("rgen", "ürgen", "JÜRGEN", "ßig", "Müßig")) {
        String wanted =
            new String(word.getBytes(Charset.forName(charset)), StandardCharsets.ISO_8859_1)
                .toLowerCase(Locale.ROOT);
        assertFalse(latin.contains(wanted), charset + " " + word);
      }
    }
  }

  @Test
  void aShortNameIsReplacedAsAPartOfPathsAndNotInWords() throws IOException {
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, "\\Device\\HarddiskVolume3\\Users\\al\\alpine.txt"));
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(2, "\\Device\\HarddiskVolume3\\Windows\\System32\\kernel32.dll"));
    log(
        EtlRecords.system(8, 0x0301).version(4),
        KernelPayloads.process(100, 4, 1, 0, "calc.exe", "calc.exe /u al"));
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "\\al\\", " al\0");
    assertThere(anonymous, "kernel32.dll", "calc.exe");
  }

  @Test
  void equalNamesHaveEqualPseudonymsWhateverTheirCase() throws IOException {
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, "\\Device\\HarddiskVolume3\\Users\\Zacharias\\x"));
    log(
        EtlRecords.event(8, PROVIDER, 1),
        new LittleEndian().utf8z("begin ZACHARIAS|zacharias|Zacharias end"));
    Anonymous anonymous = anonymous();
    String latin = new String(anonymous.bytes(), StandardCharsets.ISO_8859_1);
    int at = latin.indexOf("begin ") + "begin ".length();
    String first = latin.substring(at, at + 9);
    assertEquals(first + "|" + first + "|" + first + " end", latin.substring(at, at + 33));
    assertThere(anonymous, "\\Users\\" + first + "\\");
  }

  @Test
  void anotherKeyGivesOtherPseudonyms() throws IOException {
    logProfile();
    byte[] bytes = written();
    byte[] first = WrittenNames.anonymous(bytes, "in.etl", 1, false, folder).bytes();
    byte[] again = WrittenNames.anonymous(bytes, "in.etl", 1, false, folder).bytes();
    byte[] other = WrittenNames.anonymous(bytes, "in.etl", 2, false, folder).bytes();
    assertEquals(
        new String(first, StandardCharsets.ISO_8859_1),
        new String(again, StandardCharsets.ISO_8859_1));
    assertNotEquals(
        new String(first, StandardCharsets.ISO_8859_1),
        new String(other, StandardCharsets.ISO_8859_1));
  }

  @Test
  void numbersOfDescribedEventsAreNeverTakenForNames() throws IOException {
    log(
        EtlRecords.system(8, 0x0400).version(2),
        KernelPayloads.fileName(1, "\\Device\\HarddiskVolume3\\wxyz\\Users.log"));
    // A switch between threads whose numbers have the bytes of "wxyz".
    LittleEndian payload = KernelPayloads.cswitch(0x7A797877, 0x7A797877, 8, 8, 0, 1);
    EtlRecord record = EtlRecords.perfInfo(8, 0x0524).version(4).time(1).payload(payload).build();
    log(EtlRecords.perfInfo(8, 0x0524).version(4), payload);
    Anonymous anonymous = anonymous();
    assertGone(anonymous, "\\wxyz");
    assertThere(anonymous, "wxyzwxyz");
    assertEquals(24, record.payload().length);
  }

  @Test
  void compressedBuffersHaveOtherNames() throws IOException {
    for (int i = 0; i < 50; i++) {
      logProfile();
    }
    Anonymous anonymous = WrittenNames.anonymous(written(), "in.etl", 7, true, folder);
    Anonymous inflated =
        WrittenNames.anonymous(anonymous.bytes(), "anonymous.etl", 8, false, folder);
    assertGone(inflated, "Jane.Roe");
    assertTrue(anonymous.bytes().length < inflated.bytes().length);
  }

  @Test
  void windowsOwnWordsStayAndAreTold() throws IOException {
    LittleEndian cpu = KernelPayloads.cpu(3000, 8, 16_384, "Windows");
    log(EtlRecords.system(8, 0x0B0A).version(3), cpu);
    assertEquals(List.of("windows"), anonymous().names().left());
  }
}
