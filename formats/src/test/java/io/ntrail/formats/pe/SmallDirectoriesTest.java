package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.FileVersion;
import io.ntrail.formats.pe.HybridMetadata.Code;
import io.ntrail.formats.pe.HybridMetadata.CodeRange;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The smaller directories of real images. */
@EnabledIf(
    value = "io.ntrail.formats.pe.StoredImages#present",
    disabledReason = "no test data on this machine")
class SmallDirectoriesTest {
  @Test
  void theChecksumOfASystemLibraryComesOutAsStored() {
    PeImage image = StoredImages.image("windows/kernel32.dll");
    assertEquals(0xC399D, Checksum.of(image));
    assertTrue(Checksum.isRight(image));
  }

  @Test
  void checksumsOfSignedDriversAreRight() {
    for (String name : List.of("windows/acpi.sys", "windows/WdBoot.sys")) {
      assertTrue(Checksum.isRight(StoredImages.image(name)), name);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "windows/kernel32.dll, 10.0.19041.1348, 10.0.19041.1348, kernel32, Microsoft Corporation",
    "windows/acpi.sys, 10.0.18362.1, 10.0.18362.1, ACPI.sys, Microsoft Corporation"
  })
  void versionsAreRead(
      String name, String version, String product, String internal, String company) {
    VersionInfo info = VersionInfo.of(StoredImages.image(name)).orElseThrow();
    VersionInfo.Numbers numbers = info.numbers();
    assertEquals(version, FileVersion.text(numbers == null ? 0 : numbers.fileVersion()));
    assertEquals(product, info.text("ProductVersion").orElse(""));
    assertEquals(internal, info.text("InternalName").orElse(""));
    assertEquals(company, info.text("CompanyName").orElse(""));
    assertEquals(List.of(new VersionInfo.Translation(0x409, 0x4B0)), info.translations());
    assertEquals(0x409, info.tables().getFirst().language());
    assertEquals(0x4B0, info.tables().getFirst().codePage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "windows/kernel32.dll",
        "windows/acpi.sys",
        "windows/KernelBase.dll",
        "windows/pwsh.exe",
        "toolchains/vcruntime140.dll",
        "toolchains/msvcp140.dll"
      })
  void richHeadersHaveTheKeyOfTheirImage(String name) {
    RichHeader header = RichHeader.of(StoredImages.image(name)).orElseThrow();
    assertTrue(header.isGenuine(), name);
    assertTrue(header.entries().stream().allMatch(entry -> entry.count() > 0), name);
    assertFalse(header.entries().isEmpty());
  }

  @Test
  void imagesOfOtherLinkersHaveNoRichHeader() {
    assertTrue(RichHeader.of(StoredImages.image("windows/liblzo2-2.dll")).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "windows/kernel32.dll, 1",
    "windows/acpi.sys, 1",
    "windows/WdBoot.sys, 1",
    "windows/liblzo2-2.dll, 1",
    "windows/jobexec.dll, 0"
  })
  void certificatesLiePastTheImage(String name, int count) {
    PeImage image = StoredImages.image(name);
    Certificates certificates = Certificates.of(image);
    assertEquals(count, certificates.list().size());
    for (Certificates.Certificate certificate : certificates.list()) {
      assertEquals(Certificates.PKCS_SIGNED_DATA, certificate.type());
      // A SEQUENCE of more than 255 bytes.
      assertEquals(0x8230, certificate.content(image.file().orElseThrow()).u16(0));
    }
    assertEquals(List.of(), image.gaps());
  }

  @Test
  void anInstallerHasAnOverlay() {
    PeImage image = StoredImages.image("toolchains/wix311-bootstrapper-x86.exe");
    Overlay overlay = Overlay.of(image);
    assertTrue(overlay.size() > 0);
    Section last = image.sections().getLast();
    assertEquals(last.rawOffset() + last.rawSize(), overlay.offset());
  }

  @ParameterizedTest
  @CsvSource({
    "windows/pspluginwkr.dll, MIXED, v2.0.50727",
    "toolchains/ngen-BinSkim.win-x64.ni.dll, READY_TO_RUN, v4.0.30319",
    "toolchains/r2r-DotNetCore_win-x64.dll, IL, v4.0.30319",
    "toolchains/vs2013-MixedMode_x64.dll, MIXED, v4.0.30319",
    "flags/BA2009-Fail-VS2003-DotNetProgram.exe, IL, v1.1.4322"
  })
  void managedImagesSayHowTheirCodeIsStored(String name, ClrHeader.Code code, String runtime) {
    ClrHeader header = ClrHeader.of(StoredImages.image(name)).orElseThrow();
    assertEquals(code, header.code());
    assertEquals(runtime, header.runtime());
    assertEquals(
        code != ClrHeader.Code.MIXED,
        header.is(ClrHeader.IL_ONLY) || header.is(ClrHeader.IL_LIBRARY));
  }

  @Test
  void aProgramOfTheMsvcRuntimeHasThreadStorage() {
    for (String name : StoredImages.names("toolchains")) {
      PeImage image = StoredImages.image(name);
      Tls.of(image)
          .ifPresent(tls -> {
            assertTrue(tls.end() >= tls.begin(), name);
            assertTrue(image.view().has(tls.index(), 4), name);
            assertTrue(tls.callbacks().stream().allMatch(image::isExecutable), name);
          });
    }
    assertEquals(
        2, Tls.of(StoredImages.image("windows/liblzo2-2.dll")).orElseThrow().callbacks().size());
  }

  @Test
  void anX86LibraryWithArm64CodeSaysWhereItIs() {
    HybridMetadata hybrid =
        HybridMetadata.of(StoredImages.image("windows/msyuv.dll")).orElseThrow();
    assertEquals(4, hybrid.version());
    assertEquals(
        List.of(
            new CodeRange(0x1000, 0x10, Code.X86),
            new CodeRange(0x2A00, 0x4E28, Code.ARM64),
            new CodeRange(0x8000, 0x4B1, Code.X86),
            new CodeRange(0x9000, 0x2090, Code.ARM64)),
        hybrid.ranges());
    assertEquals(Code.ARM64, hybrid.code(0x2A00).orElseThrow());
    assertTrue(hybrid.code(0x7828).isEmpty());
  }

  @Test
  void anArm64EcProgramSaysWhichCodeIsOfX64() {
    HybridMetadata hybrid =
        HybridMetadata.of(
                StoredImages.image("flags/BA2025-NotApplicable-ARM64EC_rust_notApplicable.exe"))
            .orElseThrow();
    assertEquals(2, hybrid.version());
    assertEquals(
        List.of(
            new CodeRange(0x1000, 0x1807C, Code.ARM64EC), new CodeRange(0x1A000, 0x1010, Code.X64)),
        hybrid.ranges());
    assertEquals(List.of(new HybridMetadata.Redirection(0x1B000, 0x16840)), hybrid.redirections());
    assertEquals(new DataDirectory.Range(0x28000, 0xBF8), hybrid.extraFunctions());
    assertEquals(0x1B000, hybrid.entryPoints().getFirst().begin());
  }

  @Test
  void volatileAccessesLieInTheDescribedCode() {
    int images = 0;
    for (String folder : List.of("windows", "toolchains", "eh")) {
      for (String name : StoredImages.names(folder)) {
        PeImage image;
        try {
          image = StoredImages.image(name);
        } catch (CannotGoOn _) {
          continue;
        }
        VolatileMetadata metadata = VolatileMetadata.of(image).orElse(null);
        if (metadata == null) {
          continue;
        }
        images++;
        long before = 0;
        for (int i = 0; i < metadata.accessCount(); i++) {
          long access = metadata.access(i);
          assertTrue(access > before, name);
          assertTrue(image.isExecutable(access), name);
          before = access;
        }
        assertEquals(metadata.accessCount() == 0, metadata.ranges().isEmpty(), name);
      }
    }
    assertTrue(images > 40, images + " images");
    assertEquals(
        0x2E48 / 4,
        VolatileMetadata.of(StoredImages.image("windows/KernelBase.dll"))
            .orElseThrow()
            .accessCount());
  }
}
