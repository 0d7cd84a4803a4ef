package io.ntrail.programs.kernelcode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Drivers of Windows as the kernel leaves them in memory, byte by byte. */
@EnabledIf(
    value = "io.ntrail.testkit.TestData#available",
    disabledReason = "no test data on this machine")
class KernelCodeTest {
  @SuppressWarnings("unused")
  static final List<String> FILES = DriverSample.FILES;

  @ParameterizedTest
  @CsvSource({
    "pt/dvrt/acpi.sys, 28f2dd7587a55de274d60495975dffa43b522b4906d305847ab9fe7ea4d0f3a9",
    "pt/dvrt/WdBoot.sys, 01e2beca1b935153a48e613e692314ed1cf5acee5ae6d52add197caae1f841dd",
    "pt/dvrt/amdppm.sys, f2fbee8c820b89a46f249fb089691aac7d2853e8350880534e46534afae4d3f0",
  })
  void theYardstickReadsTheSitesThatWerePublished(String file, String hash)
      throws NoSuchAlgorithmException {
    String lines =
        DriverSample.of(file).sites().stream()
            .map(site -> site.line() + "\n")
            .sorted()
            .collect(Collectors.joining());
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(lines.getBytes(StandardCharsets.US_ASCII));
    assertEquals(hash, HexFormat.of().formatHex(digest));
  }

  @Test
  void fiveDriversHaveSixThousandSevenHundredEightyFourImportSites() {
    long sites =
        DriverSample.FILES.stream()
            .mapToLong(file ->
                DriverSample.of(file).code(CodeVariant.FILE).sites().stream()
                    .filter(site -> site.form().length() == 12)
                    .count())
            .sum();
    assertEquals(6784, sites);
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void everySiteIsInTheFileAsTheTableSays(String file) {
    DriverSample driver = DriverSample.of(file);
    for (ExpectedSite site : driver.sites()) {
      assertTrue(site.isThere(driver.memory(), site.inFile(driver.slotOf(site))), site.line());
    }
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void everySiteIsFoundAndNoneIsRefused(String file) {
    DriverSample driver = DriverSample.of(file);
    KernelCode code = driver.code(CodeVariant.RETPOLINE);
    assertEquals(
        driver.sites().stream().map(ExpectedSite::rva).sorted().toList(),
        code.sites().stream().map(CodeSite::rva).toList());
    assertEquals(0, code.report().damaged());
    assertEquals(0, code.report().unread());
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void theCodeOfEachVariantDiffersFromTheFileExactlyAtItsSites(String file) {
    DriverSample driver = DriverSample.of(file);
    // Base relocations are not of the sites: what is compared is the image where it was linked for.
    ImageSpace linked = new ImageSpace(driver.image(), driver.image().headers().imageBase());
    for (CodeVariant variant : CodeVariant.values()) {
      byte[] expected = driver.memory().clone();
      for (ExpectedSite site : driver.sites()) {
        driver
            .rewritten(site, variant)
            .ifPresent(
                bytes -> System.arraycopy(bytes, 0, expected, (int) site.rva(), bytes.length));
      }
      AddressSpace space = KernelCode.of(linked, shifted(driver, linked.base()), variant).space();
      assertArrayEquals(expected, read(space, linked.base(), expected.length), variant.name());
    }
  }

  /** Targets at the same distances from another base. */
  private static ImportTargets shifted(DriverSample driver, long base) {
    ImportTargets targets = driver.targets();
    return (module, name, ordinal) -> {
      OptionalLong target = targets.address(module, name, ordinal);
      return target.isPresent()
          ? OptionalLong.of(target.getAsLong() - DriverSample.BASE + base)
          : target;
    };
  }

  private static byte[] read(AddressSpace space, long address, int length) {
    byte[] bytes = new byte[length];
    int at = 0;
    while (at < length) {
      int missing = space.missingFrom(address + at, length - at);
      at += missing;
      Bytes piece = space.readUpTo(address + at, length - at);
      piece.copyTo(0, bytes, at, piece.length());
      at += piece.length();
    }
    return bytes;
  }

  @ParameterizedTest
  @FieldSource("FILES")
  void relocationAndRewritingGoTogether(String file) {
    DriverSample driver = DriverSample.of(file);
    ImageSpace moved = driver.space();
    byte[] plain = read(moved, moved.base(), driver.memory().length);
    for (ExpectedSite site : driver.sites()) {
      driver
          .rewritten(site, CodeVariant.RETPOLINE)
          .ifPresent(bytes -> System.arraycopy(bytes, 0, plain, (int) site.rva(), bytes.length));
    }
    AddressSpace space = driver.code(CodeVariant.RETPOLINE).space();
    assertArrayEquals(plain, read(space, moved.base(), plain.length));
  }

  @Test
  void twentyThreeSitesReachOverTheEndOfTheirPage() {
    long sites = 0;
    for (String file : DriverSample.FILES) {
      for (ExpectedSite site : DriverSample.of(file).sites()) {
        sites += site.symbol() == 3 && (site.rva() & 0xFFF) + 12 > 0x1000 ? 1 : 0;
      }
    }
    assertEquals(23, sites);
  }

  @Test
  void aReportCountsSitesByFormAndOutcome() {
    DriverSample driver = DriverSample.of("pdb/sysinf/systeminformer.sys");
    RewriteReport importOnly = driver.code(CodeVariant.IMPORT_OPTIMIZATION).report();
    assertEquals(901, sum(importOnly, SiteForm.IMPORT_CALL));
    assertEquals(27, sum(importOnly, SiteForm.IMPORT_JUMP));
    assertEquals(86, importOnly.count(SiteForm.CHECKED_CALL, SiteOutcome.UNCHANGED));
    assertEquals(3, importOnly.count(SiteForm.CHECKED_JUMP_REX_W, SiteOutcome.UNCHANGED));
    RewriteReport retpoline = driver.code(CodeVariant.RETPOLINE).report();
    assertEquals(86, retpoline.count(SiteForm.CHECKED_CALL, SiteOutcome.THUNK));
    assertEquals(1, retpoline.count(SiteForm.CHECKED_JUMP, SiteOutcome.THUNK));
    assertEquals(3, retpoline.count(SiteForm.CHECKED_JUMP_REX_W, SiteOutcome.THUNK));
    assertEquals(8, retpoline.count(SiteForm.POINTER_CALL, SiteOutcome.THUNK));
    assertEquals(1, retpoline.count(SiteForm.POINTER_JUMP, SiteOutcome.THUNK));
    assertEquals(901 + 27 + 99, retpoline.rewritten());
    assertEquals(importOnly.count(SiteOutcome.DIRECT), retpoline.count(SiteOutcome.DIRECT));
    assertEquals(
        importOnly.count(SiteOutcome.UNKNOWN_TARGET),
        retpoline.count(SiteOutcome.THUNK_UNKNOWN_TARGET));
    assertEquals(0, driver.code(CodeVariant.FILE).report().rewritten());
  }

  private static long sum(RewriteReport report, SiteForm form) {
    return report.groups().stream()
        .filter(group -> group.form() == form)
        .mapToLong(RewriteReport.Group::count)
        .sum();
  }

  @ParameterizedTest
  @EnumSource(CodeVariant.class)
  void onlyRetpolinesHaveAPageBehindTheImageAndOnlyItsThunks(CodeVariant variant) {
    DriverSample driver = DriverSample.of("pt/dvrt/acpi.sys");
    KernelCode code = driver.code(variant);
    long page = DriverSample.BASE + 0xCC000;
    assertEquals(0xCC000, code.retpolinePage());
    boolean isThere = variant == CodeVariant.RETPOLINE;
    for (int thunk : List.of(0x2A0, 0x2E0, 0x420, 0xA0, 0xC0, 0x280)) {
      assertEquals(isThere, code.space().regionAt(page + thunk).isPresent());
      assertEquals(isThere ? 1 : 0, code.space().readUpTo(page + thunk, 1).length());
    }
    assertEquals(0, code.space().readUpTo(page, 1).length());
    // No switch has its target in rsp.
    assertEquals(0, code.space().readUpTo(page + 0xA0 + 4 * 0x20, 1).length());
    if (isThere) {
      MemoryRegion region = code.space().regionAt(page + 0x420).orElseThrow();
      assertEquals(page, region.start());
      assertEquals(0x1000, region.length());
      assertTrue(region.owner().contains("synthetic"), region.owner());
      assertEquals(Set.of(Access.READ, Access.EXECUTE), region.access());
    }
  }

  @Test
  void aRewrittenSiteIsInTheRegionOfItsSection() {
    DriverSample driver = DriverSample.of("pt/dvrt/acpi.sys");
    KernelCode code = driver.code(CodeVariant.RETPOLINE);
    long address = DriverSample.BASE + code.sites().getFirst().rva();
    assertEquals(driver.space().regionAt(address), code.space().regionAt(address));
    assertEquals(Optional.of("acpi.sys"), code.space().regionAt(address).map(MemoryRegion::owner));
  }

  @Test
  void withoutAnyTargetImportOptimizationLeavesEveryImport() {
    DriverSample driver = DriverSample.of("pt/dvrt/WdBoot.sys");
    KernelCode code =
        KernelCode.of(driver.space(), ImportTargets.NONE, CodeVariant.IMPORT_OPTIMIZATION);
    assertEquals(144, code.report().count(SiteOutcome.UNKNOWN_TARGET));
    assertEquals(0, code.report().rewritten());
  }
}
