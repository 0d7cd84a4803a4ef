package io.ntrail.programs.kernelcode;

import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.programs.memory.ImageSpace;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of imports from the exports of modules at their load addresses. Forwarders are followed
 * as far as the modules are at hand. Modules are found by the name of their file and by the name
 * that their exports give, without regard to case and extension.
 */
public final class ImportAddresses implements ImportTargets {
  private static final List<String> EXTENSIONS = List.of(".exe", ".dll", ".sys");

  /** Forwarders of Windows have one or two steps; more is a circle. */
  private static final int MOST_FORWARDS = 16;

  private final Map<String, Exporter> exporters = new HashMap<>();

  /** Reads the exports of modules; of two with a name the first counts. */
  public ImportAddresses(Collection<ImageSpace> modules) {
    for (ImageSpace module : modules) {
      Exports exports = Exports.of(module.image());
      Exporter exporter = new Exporter(module.base(), exports);
      exporters.putIfAbsent(key(WindowsPath.lastPart(module.name().replace('/', '\\'))), exporter);
      if (!exports.module().isEmpty()) {
        exporters.putIfAbsent(key(exports.module()), exporter);
      }
    }
  }

  private static String key(String module) {
    String name = module.toLowerCase(Locale.ROOT);
    return EXTENSIONS.stream().anyMatch(name::endsWith)
        ? name.substring(0, name.length() - 4)
        : name;
  }

  @Override
  public OptionalLong address(String module, @Nullable String name, int ordinal) {
    String place = module;
    String symbol = name == null ? "#" + ordinal : name;
    for (int step = 0; step < MOST_FORWARDS; step++) {
      Exporter exporter = exporters.get(key(place));
      Export export = exporter == null ? null : exporter.exports.get(symbol);
      if (exporter == null || export == null) {
        return OptionalLong.empty();
      }
      if (export.forward() == null) {
        return OptionalLong.of(exporter.base + export.rva());
      }
      place = export.forwardModule();
      symbol = export.forwardName();
    }
    return OptionalLong.empty();
  }

  /** Exports of a module by name, and by {@code #ordinal}. */
  private static final class Exporter {
    private final long base;
    private final Map<String, Export> exports = new HashMap<>();

    Exporter(long base, Exports exports) {
      this.base = base;
      for (Export export : exports.list()) {
        this.exports.putIfAbsent("#" + export.ordinal(), export);
        if (export.name() != null) {
          this.exports.putIfAbsent(export.name(), export);
        }
      }
    }
  }
}
