package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.formats.pe.unwind.ArmFunctions;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** All that the readers have to say about an image, as text that can be compared. */
final class ImageContents {
  private final PeImage image;
  private final Map<String, String> parts = new LinkedHashMap<>();

  private ImageContents(PeImage image) {
    this.image = image;
  }

  /** By part. */
  static Map<String, String> of(PeImage image) {
    ImageContents everything = new ImageContents(image);
    everything.headers();
    everything.loadConfig();
    everything.relocations();
    everything.functions();
    everything.small();
    return everything.parts;
  }

  private void headers() {
    parts.put("headers", image.headers().toString());
    parts.put("sections", image.sections().toString());
    Exports exports = Exports.of(image);
    parts.put("exports", exports.module() + exports.functionCount() + exports.list().hashCode());
    StringBuilder imports = new StringBuilder();
    for (Imports.Module module : Imports.of(image).modules()) {
      imports
          .append(module.name())
          .append(' ')
          .append(module.addressesRva())
          .append(' ')
          .append(module.symbols().hashCode())
          .append('\n');
    }
    parts.put("imports", imports.toString());
    parts.put("bound imports", Imports.of(image).bound().toString());
    DebugDirectory debug = DebugDirectory.of(image);
    StringBuilder entries = new StringBuilder();
    for (DebugDirectory.Entry entry : debug.entries()) {
      entries
          .append(entry.typeText())
          .append(' ')
          .append(entry.timestamp())
          .append(' ')
          .append(entry.size())
          .append(' ')
          .append(entry.rva())
          .append(' ')
          // What is not mapped cannot be found in memory.
          .append(entry.data() == null || entry.rva() == 0 ? "" : text(entry.data()))
          .append('\n');
    }
    parts.put("debug directory", entries.toString());
    if (debug.entries().stream().allMatch(entry -> entry.rva() != 0)) {
      parts.put("identity", debug.codeView().toString());
      parts.put("groups", debug.groups().toString());
      parts.put("features", debug.vcFeature() + " " + debug.exDllCharacteristics());
    }
    parts.put("hash", debug.reproHash().map(Arrays::toString).orElse(""));
  }

  private static String text(Bytes bytes) {
    return bytes.length() + ":" + Arrays.hashCode(bytes.array(0, bytes.length()));
  }

  private void loadConfig() {
    LoadConfig config = LoadConfig.of(image).orElse(null);
    if (config == null) {
      return;
    }
    StringBuilder fields = new StringBuilder();
    for (Field field : Field.values()) {
      if (config.has(field)) {
        fields.append(field).append('=').append(config.value(field)).append('\n');
      }
    }
    parts.put("load config", fields.toString());
    parts.put("guard functions", config.guardFunctions().toString());
    parts.put("guard imports", config.guardIatEntries().toString());
    parts.put("guard jumps", config.guardLongJumpTargets().toString());
    parts.put("guard continuations", config.guardEhContinuations().toString());
    parts.put("handlers", config.safeSehHandlers().map(Arrays::toString).orElse("none"));
    DynamicRelocations dynamic = DynamicRelocations.of(image);
    long[] hash = new long[2];
    dynamic.forEach(fixup -> {
      hash[0]++;
      hash[1] = 31 * hash[1] + fixup.rva();
    });
    parts.put("dynamic relocations", Arrays.toString(hash));
  }

  private void relocations() {
    long[] hash = new long[2];
    Relocations relocations = Relocations.of(image);
    relocations.forEach((rva, type, low) -> {
      hash[0]++;
      hash[1] = 31 * hash[1] + rva * 16 + type + low;
    });
    parts.put("relocations", relocations.blocks() + " " + Arrays.toString(hash));
  }

  /** Adds the parts that are mapped: no certificates, no overlay. */
  private void small() {
    parts.put("thread storage", Tls.of(image).toString());
    Resources resources = Resources.of(image);
    parts.put("resources", String.valueOf(resources.entries().hashCode()));
    parts.put("version", VersionInfo.of(image, resources).toString());
    parts.put("managed code", ClrHeader.of(image).toString());
    parts.put("hybrid", HybridMetadata.of(image).toString());
    parts.put("linker", RichHeader.of(image).toString());
    parts.put("enclave", EnclaveConfiguration.of(image).isPresent() + "");
    parts.put("volatile", VolatileMetadata.of(image).isPresent() + "");
    parts.put("hot patches", HotPatchTables.of(image).isPresent() + "");
    parts.put("arm functions", String.valueOf(ArmFunctions.of(image).hashCode()));
    // Only a file has these; that they are read is all that counts.
    Certificates.of(image);
    Overlay.of(image);
    Checksum.of(image);
  }

  private void functions() {
    FunctionTable table = FunctionTable.of(image);
    long hash = 0;
    int links = 0;
    Set<Long> infos = new HashSet<>();
    for (RuntimeFunction entry : table.entries()) {
      hash = 31 * hash + entry.hashCode();
      // Hostile tables have millions of entries for one and the same.
      if (infos.add(entry.unwindInfo()) && infos.size() < 100_000) {
        UnwindChain chain = table.chain(entry);
        links += chain.depth();
        for (UnwindChain.Link link : chain.links()) {
          UnwindInfo info = link.info();
          hash = 31 * hash + info.codes().hashCode();
          hash = 31 * hash + info.handler() + info.flags() + info.prologSize();
        }
      }
    }
    parts.put("functions", table.entries().size() + " " + links + " " + hash);
  }
}
