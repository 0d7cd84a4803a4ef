package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.fixups.DynamicFixup;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.Relocations;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads everything that an image has, and checks what must hold for any image whatever. */
final class AllDirectories {
  private static final int MOST = 2_000_000;

  private AllDirectories() {}

  /**
   * @throws io.ntrail.formats.bytes.CannotGoOn if it is not an image
   */
  static void read(byte[] bytes, String name) {
    try (InputFile file = InputFile.of(bytes, name)) {
      read(PeImage.ofFile(file));
    }
  }

  static void read(PeImage image) {
    ImageContents.of(image);
    relocations(image);
    dynamic(image);
    small(image);
    resources(image);
    assertTrue(
        image.gaps().stream().allMatch(gap -> gap.offset() >= 0 && !gap.why().isEmpty()),
        "a gap without place or reason");
  }

  private static void relocations(PeImage image) {
    Relocations relocations = Relocations.of(image);
    AtomicInteger seen = new AtomicInteger();
    relocations.forEach((rva, type, low) -> seen.incrementAndGet());
    assertTrue(seen.get() == relocations.count(), "relocations are counted otherwise than visited");
    for (Section section : image.sections().stream().limit(4).toList()) {
      int length = (int) Math.min(256, image.view().available(section.rva()));
      if (length > 0) {
        relocations.relocated(section.rva(), length, 0x10_0000);
      }
    }
  }

  private static void dynamic(PeImage image) {
    DynamicRelocations relocations = DynamicRelocations.of(image);
    AtomicInteger seen = new AtomicInteger();
    relocations.forEach(fixup -> {
      seen.incrementAndGet();
      if (fixup instanceof DynamicFixup.FunctionOverride override) {
        override.chosen(feature -> feature % 2 == 0);
      }
    });
    long counted = 0;
    for (DynamicRelocations.Symbol symbol : DynamicRelocations.Symbol.values()) {
      counted += relocations.count(symbol);
    }
    assertTrue(seen.get() >= counted, "fewer fixups are visited than counted");
  }

  private static void small(PeImage image) {
    Tls.of(image).ifPresent(tls -> assertTrue(tls.callbacks().size() <= 65_536));
    RichHeader.of(image).ifPresent(RichHeader::isGenuine);
    Checksum.isRight(image);
    Overlay overlay = Overlay.of(image);
    long size = image.file().map(InputFile::size).orElse(0L);
    assertTrue(overlay.offset() + overlay.size() <= size, "an overlay behind the file");
    for (Certificates.Certificate certificate : Certificates.of(image).list()) {
      image.file().ifPresent(certificate::content);
    }
    ClrHeader.of(image);
    HybridMetadata.of(image).ifPresent(hybrid -> hybrid.code(0x1000));
    VolatileMetadata.of(image)
        .ifPresent(metadata -> {
          for (int i = 0; i < metadata.accessCount(); i++) {
            metadata.access(i);
          }
        });
    EnclaveConfiguration.of(image);
    HotPatchTables.of(image);
  }

  private static void resources(PeImage image) {
    Resources resources = Resources.of(image);
    assertTrue(resources.count() <= MOST);
    data(image, resources.entries());
    VersionInfo.of(image, resources);
  }

  private static void data(PeImage image, List<Resources.Entry> entries) {
    for (Resources.Entry entry : entries) {
      Resources.Data data = entry.data();
      if (data != null) {
        try {
          data.bytes(image);
        } catch (DamagedInput e) {
          assertTrue(!e.what().isEmpty());
        }
      }
      data(image, entry.entries());
    }
  }
}
