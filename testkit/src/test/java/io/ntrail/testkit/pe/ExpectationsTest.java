package io.ntrail.testkit.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares known counts of the shared images with the readers' records. */
class ExpectationsTest {
  private static final long KERNEL32_BASE = 0x180000000L;

  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @Test
  void everyImageIsFoundByGroupAndName() {
    Map<String, Long> counts =
        PeSamples.all().stream()
            .collect(Collectors.groupingBy(PeSample::group, TreeMap::new, Collectors.counting()));
    assertEquals(
        Map.of(
            "windows",
            18L,
            "eh",
            91L,
            "flags",
            36L,
            "toolchains",
            36L,
            "hostile",
            16L,
            "corkami",
            189L,
            "win10",
            2L),
        counts);
    assertEquals(770_136, PeSamples.of("windows", "kernel32.dll").bytes().length);
    assertEquals(2_622_464, PeSamples.of("corkami", "65535sects.exe").bytes().length);
  }

  @Test
  void manifestsAreOfTheImagesTheyLieBeside() throws Exception {
    List<EhManifest> manifests = EhManifest.all();
    assertEquals(91, manifests.size());
    assertEquals(
        PeSamples.group("eh").stream().map(PeSample::name).toList(),
        manifests.stream().map(EhManifest::name).toList());
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    for (EhManifest manifest : manifests) {
      byte[] image = PeSamples.of("eh", manifest.name()).bytes();
      assertEquals(manifest.size(), image.length, manifest.name());
      assertEquals(manifest.sha256(), HexFormat.of().formatHex(sha.digest(image)), manifest.name());
    }
  }

  @Test
  void manifestsTellPersonalitiesAndMinimumNumbers() throws IOException {
    EhManifest fh3 = EhManifest.of("cxx_eh_probe-msvc-x86_64-fh3-gs-o0.exe");
    assertTrue(fh3.personalitiesAny().contains("__CxxFrameHandler3"), fh3::toString);
    assertTrue(fh3.minimum("min_try_blocks") > 0, fh3::toString);
    assertEquals("x86_64", fh3.architecture());
    EhManifest gcc = EhManifest.of("cxx_eh_probe-gcc-x86_64-w64-mingw32-o2-stripped.exe");
    assertEquals(List.of("__gxx_personality_seh0"), gcc.personalitiesAny());
    assertEquals(10, gcc.minimum("min_call_sites"));
    assertEquals(List.of(".text", ".pdata", ".xdata"), gcc.requiredSections());
  }

  @Test
  void everyPrintedImageHasOneBlock() throws IOException {
    Map<String, List<String>> failed = new TreeMap<>();
    for (String group : PeSamples.PRINTED) {
      List<String> names = PeSamples.group(group).stream().map(PeSample::name).toList();
      for (String tool : List.of("readobj", "objdump-p")) {
        List<String> blocks = new ArrayList<>();
        ToolOutput.forEach(
            tool + "-" + group + ".txt.gz",
            output -> {
              blocks.add(output.name());
              if (output.status() != 0) {
                failed.computeIfAbsent(tool, key -> new ArrayList<>()).add(output.name());
              }
            });
        // A 16-bit program is no image to the tools.
        assertEquals(
            names.stream().filter(name -> !name.equals("_setup.dll")).toList(), blocks, group);
      }
    }
    // Ten images end readobj with an error or a crash: nine with relocations that are none.
    assertEquals(10, failed.getOrDefault("readobj", List.of()).size());
    // Machines that this objdump was not built for.
    assertEquals(
        List.of(
            "arp.dll",
            "seh_probe-msvc-aarch64-native-gs-o2.exe",
            "seh_probe-msvc-arm-native-gs-o2.exe",
            "BA2021-NotApplicable-DotNet.R2RTest.dll"),
        failed.get("objdump-p"));
  }

  @Test
  void readobjHasTheDirectoriesOfKernel32() throws IOException {
    ToolNode kernel32 = ToolNode.parse(ToolOutput.of("readobj-windows.txt.gz", "kernel32.dll"));
    assertEquals(0x8664, kernel32.first("ImageFileHeader").number("Machine"));
    assertEquals(0x38B369C4, kernel32.first("ImageFileHeader").number("TimeDateStamp"));
    assertEquals(0x4160, kernel32.first("ImageOptionalHeader").number("Characteristics"));
    assertEquals(7, kernel32.first("Sections").all("Section").size());
    assertEquals(1633, kernel32.all("Export").size());
    assertEquals(96, kernel32.all("Import").size());
    assertEquals(2, kernel32.all("DelayImport").size());
    assertEquals(4, kernel32.first("DebugDirectory").all("DebugEntry").size());
    ToolNode config = kernel32.first("LoadConfig");
    assertEquals(0x118, config.number("Size"));
    assertEquals(1510, config.number("GuardCFFunctionCount"));
    assertEquals(1510, kernel32.first("GuardFidTable").children().size());
    ToolNode pogo = kernel32.first("DebugDirectory").all("DebugEntry").get(1);
    assertEquals(0x574, pogo.first("RawData").raw().length);
    assertEquals("00554750", HexFormat.of().formatHex(pogo.first("RawData").raw(), 0, 4));
  }

  @Test
  void readobjHasTheTablesOfOldAndX86Images() throws IOException {
    ToolNode base = ToolNode.parse(ToolOutput.of("readobj-windows.txt.gz", "KernelBase.dll"));
    assertEquals(3146, base.first("GuardFidTable").children().size());
    assertEquals(3, base.first("SEHTable").children().size());
    ToolNode mfc = ToolNode.parse(ToolOutput.of("readobj-windows.txt.gz", "mfc40u.dll"));
    List<ToolNode> used =
        mfc.all("Export").stream().filter(export -> export.number("RVA") != 0).toList();
    assertEquals(5517, used.size());
    assertEquals(4, used.stream().filter(export -> !export.text("Name").isEmpty()).count());
  }

  @Test
  void objdumpHasEveryEpilogueOfVersion2() throws IOException {
    ObjdumpPrivate acpi =
        ObjdumpPrivate.parse(ToolOutput.of("objdump-p-windows.txt.gz", "acpi.sys"));
    assertEquals(0xCBD8C, acpi.header().get("CheckSum"));
    assertEquals(14L, acpi.header().get("MajorLinkerVersion"));
    assertEquals(new ObjdumpPrivate.Directory(0x84000, 0x7068), acpi.directories().get(3));
    assertEquals(0x7068 / 12, acpi.table().size());
    assertEquals(1537, acpi.unwind().stream().mapToInt(info -> info.epilogs().size()).sum());
    // One info may belong to several functions; objdump says so without printing it again.
    Map<Long, ToolUnwind> infos =
        acpi.unwind().stream().collect(Collectors.toMap(ToolUnwind::at, info -> info, (a, b) -> a));
    List<ToolUnwind> all = acpi.table().stream().map(row -> infos.get(row.unwind())).toList();
    assertEquals(2398, all.size());
    assertEquals(2393, all.stream().filter(info -> info.version() == 2).count());
    assertEquals(1584, all.stream().mapToInt(info -> info.epilogs().size()).sum());
    ToolUnwind first = acpi.unwind().getFirst();
    assertEquals(new ToolFunction(0x1010, 0x13F2, 0x742D8), acpi.table().getFirst());
    assertEquals(2, first.version());
    assertEquals(List.of(0xF6), first.epilogs());
    assertEquals(6, first.epilogSize());
    assertEquals(new ToolCode(0x18, "SAVE_NONVOL", 6, 0x98), first.codes().getFirst());
    assertEquals(new ToolCode(0x10, "PUSH_NONVOL", 7, 0), first.codes().getLast());
  }

  @Test
  void objdumpAndReadobjDecodeTheSameUnwindData() throws IOException {
    ObjdumpPrivate objdump =
        ObjdumpPrivate.parse(ToolOutput.of("objdump-p-windows.txt.gz", "kernel32.dll"));
    assertEquals(1835, objdump.table().size());
    List<ToolUnwind> readobj =
        ReadobjUnwind.parse(
            ToolOutput.of("readobj-unwind-windows.txt.gz", "PSCRIPT5.DLL"), KERNEL32_BASE);
    ObjdumpPrivate other =
        ObjdumpPrivate.parse(ToolOutput.of("objdump-p-windows.txt.gz", "PSCRIPT5.DLL"));
    assertEquals(other.table().size(), readobj.size());
    Map<Long, ToolUnwind> byPlace =
        readobj.stream().collect(Collectors.toMap(ToolUnwind::begin, info -> info));
    for (ToolUnwind info : other.unwind()) {
      assertEquals(info, byPlace.get(info.begin()));
    }
  }

  @Test
  void namesOfFlagImagesAreVerdicts() {
    List<FlagVerdict> verdicts = FlagVerdict.all();
    assertEquals(36, verdicts.size());
    assertEquals(
        Map.of("Pass", 16L, "Fail", 17L, "NotApplicable", 3L),
        verdicts.stream()
            .collect(Collectors.groupingBy(FlagVerdict::verdict, Collectors.counting())));
  }

  @Test
  void numberTablesAreRead() throws IOException {
    assertEquals(103, Tsv.rows("pe/unwind/virtual-unwind-x64.tsv").size());
    assertEquals(515, HotPatchShare.wine8().size());
    assertEquals(191, HotPatchShare.collected().size());
    assertEquals(
        new ServiceHash("OpenKeyTransacted", 0xB74A2D8F, true), ServiceHash.all().getFirst());
  }

  @Test
  void stackRowsTellFrameAndReturnAddress() throws IOException {
    BreakpadStackRecords basic = BreakpadStackRecords.of("basic-opt64.dll");
    assertEquals(1462, basic.cfi().size());
    assertEquals(
        new BreakpadStackRecords.Cfi(0x6AF0, 0x68, "$rsp 48 +", ".cfa 8 - ^", List.of()),
        basic.cfi().getFirst());
    BreakpadStackRecords x86 = BreakpadStackRecords.of("basic-opt32.dll");
    assertEquals(4882, x86.win().size());
    assertEquals(0xB, x86.win().getFirst().size());
    assertEquals(1547, BreakpadStackRecords.of("mozwer.dll").cfi().size());
  }

  @Test
  void wineImagesArePeFiles() {
    assumeTrue(WineImages.available(), WineImages.MISSING);
    assertTrue(WineImages.all().size() > 100, () -> WineImages.all().toString());
  }

  @Test
  void loaderViewHasTheSectionsWhereTheyBelong() {
    byte[] file = PeSamples.of("windows", "kernel32.dll").bytes();
    byte[] memory = LoaderView.map(file);
    assertEquals(778_240, memory.length);
    for (int i = 0; i < 1536; i++) {
      assertEquals(file[0xB1A00 + i], memory[0xB3000 + i]);
    }
    // Behind the raw data of a section are zeros.
    assertEquals(0, memory[0xB3000 + 1536]);
  }
}
