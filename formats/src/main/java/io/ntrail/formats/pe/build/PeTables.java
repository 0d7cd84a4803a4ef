package io.ntrail.formats.pe.build;

import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.Section;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Declarations for an image under construction, and the tables that are made of them. */
final class PeTables {
  private static final int IMPORT_DESCRIPTOR = 20;
  private static final int DELAY_DESCRIPTOR = 32;
  private static final int DATA = 0x40 | Section.READ;

  /** A directory that was written. */
  record Sized(String label, long size) {}

  private record Module(
      String name, List<String> functions, @Nullable Map<String, Long> addresses) {}

  private record Bound(String module, long stamp, Map<String, Long> forwarders) {}

  private record Delayed(String module, boolean addresses, String loader, List<String> functions) {}

  private record Export(int ordinal, @Nullable String name, String label, String target) {}

  private record Function(String begin, String end, UnwindInfoBuilder unwind) {}

  private record Tls(String begin, String end, String index, long zeros, List<String> callbacks) {}

  private record Setting(long value, String label) {}

  private record Debug(int type, PeSectionContent content) {}

  private final PeBuilder image;
  private final List<Module> modules = new ArrayList<>();
  private final List<Bound> bound = new ArrayList<>();
  private final List<Delayed> delayed = new ArrayList<>();
  private final List<Export> exports = new ArrayList<>();
  private final List<Function> functions = new ArrayList<>();
  private final Map<LoadConfig.Field, Setting> settings = new EnumMap<>(LoadConfig.Field.class);
  private final ResourceTreeBuilder resources = new ResourceTreeBuilder();
  private final List<Debug> debug = new ArrayList<>();
  private final Map<DataDirectory, Sized> directories = new EnumMap<>(DataDirectory.class);
  private String library = "";
  private int loadConfigSize;
  private @Nullable Tls tls;

  PeTables(PeBuilder image) {
    this.image = image;
  }

  void imports(String module, List<String> names) {
    modules.add(new Module(module, names, null));
  }

  void bound(String module, long stamp, Map<String, Long> addresses, Map<String, Long> forwarders) {
    modules.add(new Module(module, List.copyOf(addresses.keySet()), addresses));
    bound.add(new Bound(module, stamp, forwarders));
  }

  void delayed(String module, boolean addresses, String loader, List<String> names) {
    delayed.add(new Delayed(module, addresses, loader, names));
  }

  void library(String name) {
    library = name;
  }

  void export(int ordinal, @Nullable String name, String label, String target) {
    exports.add(new Export(ordinal, name, label, target));
  }

  void function(String begin, String end, UnwindInfoBuilder unwind) {
    functions.add(new Function(begin, end, unwind));
  }

  void loadConfigSize(int size) {
    loadConfigSize = size;
  }

  void configure(LoadConfig.Field field, long value, String label) {
    settings.put(field, new Setting(value, label));
  }

  void tls(String begin, String end, String index, long zeros, List<String> callbacks) {
    tls = new Tls(begin, end, index, zeros, callbacks);
  }

  void resource(String type, String name, int language, byte[] content) {
    resources.add(type, name, language, content);
  }

  void debug(int type, byte[] content) {
    debug.add(new Debug(type, new PeSectionContent(image).bytes(content)));
  }

  Map<DataDirectory, Sized> directories() {
    return directories;
  }

  private void begins(DataDirectory directory, PeSectionContent part) {
    part.label(label(directory));
  }

  private void ends(DataDirectory directory, long size) {
    directories.put(directory, new Sized(label(directory), size));
  }

  static String label(DataDirectory directory) {
    return "directory." + directory;
  }

  void write() {
    if (!exports.isEmpty() || !library.isEmpty()) {
      writeExports(image.constants());
    }
    if (loadConfigSize > 0) {
      writeLoadConfig(image.constants());
    }
    if (tls != null) {
      writeTls(image.constants(), tls);
    }
    if (!debug.isEmpty()) {
      writeDebug(image.constants());
    }
    if (!modules.isEmpty()) {
      writeImports(image.section(".idata", DATA | Section.WRITE));
    }
    if (!delayed.isEmpty()) {
      writeDelayed(image.section(".didat", DATA | Section.WRITE));
    }
    if (!functions.isEmpty()) {
      writeFunctions();
    }
    if (!resources.isEmpty()) {
      PeSectionContent part = image.section(".rsrc", DATA);
      begins(DataDirectory.RESOURCE, part);
      int from = part.size();
      resources.write(part);
      ends(DataDirectory.RESOURCE, part.size() - from);
    }
  }

  private void writeExports(PeSectionContent part) {
    int base = exports.stream().mapToInt(Export::ordinal).filter(o -> o > 0).min().orElse(1);
    TreeMap<Integer, Export> byOrdinal = new TreeMap<>();
    for (Export export : exports) {
      if (export.ordinal > 0 && byOrdinal.put(export.ordinal, export) != null) {
        throw new IllegalStateException("two exports have the ordinal " + export.ordinal);
      }
    }
    int free = base;
    for (Export export : exports) {
      if (export.ordinal == 0) {
        while (byOrdinal.containsKey(free)) {
          free++;
        }
        byOrdinal.put(free, export);
      }
    }
    int count = byOrdinal.isEmpty() ? 0 : byOrdinal.lastKey() - base + 1;
    // The loader looks a name up by halving: they are in the order of their bytes.
    TreeMap<byte[], Integer> names = new TreeMap<>(Arrays::compareUnsigned);
    byOrdinal.forEach((ordinal, export) -> {
      if (export.name != null) {
        names.put(export.name.getBytes(StandardCharsets.UTF_8), ordinal - base);
      }
    });
    part.align(4);
    begins(DataDirectory.EXPORT, part);
    int from = part.size();
    part.u32(0).u32(0).u32(0).rva("export.library").u32(base).u32(count).u32(names.size());
    part.rva("export.functions").rva("export.names").rva("export.ordinals");
    part.label("export.functions");
    for (int i = 0; i < count; i++) {
      Export export = byOrdinal.get(base + i);
      if (export == null) {
        part.u32(0);
      } else {
        part.rva(export.target.isEmpty() ? export.label : "export.forward." + (base + i));
      }
    }
    part.label("export.names");
    names.values().forEach(index -> part.rva("export.name." + index));
    part.label("export.ordinals");
    names.values().forEach(part::u16);
    part.label("export.library").text(library);
    names.forEach((name, index) -> part.label("export.name." + index).bytes(name).u8(0));
    // Forwarders are recognised by lying inside the directory.
    byOrdinal.forEach((ordinal, export) -> {
      if (!export.target.isEmpty()) {
        part.label("export.forward." + ordinal).text(export.target);
      }
    });
    ends(DataDirectory.EXPORT, part.size() - from);
  }

  private static String slot(String module, String function) {
    return module + "!" + function;
  }

  private static boolean isOrdinal(String function) {
    return function.startsWith("#");
  }

  /**
   * Writes an entry of a table of names: an ordinal with the top bit set, or the place of the name.
   */
  private void named(PeSectionContent part, String module, String function, boolean address) {
    if (isOrdinal(function)) {
      long ordinal = Integer.parseInt(function.substring(1));
      part.pointer(ordinal | (image.pointerBytes() == 8 ? Long.MIN_VALUE : 0x8000_0000L));
    } else if (address) {
      part.address("import.name." + slot(module, function));
    } else {
      part.rva("import.name." + slot(module, function));
      if (image.pointerBytes() == 8) {
        part.u32(0);
      }
    }
  }

  private static void hintName(PeSectionContent part, String module, String function) {
    if (!isOrdinal(function)) {
      part.align(2).label("import.name." + slot(module, function)).u16(0).text(function);
    }
  }

  private void writeImports(PeSectionContent part) {
    part.align(8);
    begins(DataDirectory.IAT, part);
    int from = part.size();
    for (Module module : modules) {
      part.label("import.table." + module.name);
      for (String function : module.functions) {
        part.label(slot(module.name, function));
        if (module.addresses == null) {
          named(part, module.name, function, false);
        } else {
          Long address = module.addresses.get(function);
          part.pointer(address == null ? 0 : address);
        }
      }
      part.pointer(0);
    }
    ends(DataDirectory.IAT, part.size() - from);
    begins(DataDirectory.IMPORT, part);
    for (Module module : modules) {
      part.rva("import.names." + module.name);
      part.u32(module.addresses == null ? 0 : Imports.BOUND_NEW_STYLE).u32(0);
      part.rva("import.module." + module.name).rva("import.table." + module.name);
    }
    part.fill(IMPORT_DESCRIPTOR, 0);
    ends(DataDirectory.IMPORT, (modules.size() + 1L) * IMPORT_DESCRIPTOR);
    part.align(8);
    for (Module module : modules) {
      part.label("import.names." + module.name);
      module.functions.forEach(function -> named(part, module.name, function, false));
      part.pointer(0);
    }
    for (Module module : modules) {
      module.functions.forEach(function -> hintName(part, module.name, function));
      part.label("import.module." + module.name).text(module.name);
    }
  }

  /** Returns the directory of bound imports, which follows the section table. */
  byte[] boundDirectory() {
    if (bound.isEmpty()) {
      return new byte[0];
    }
    int entries = 1 + bound.stream().mapToInt(one -> 1 + one.forwarders.size()).sum();
    Map<String, Integer> names = new LinkedHashMap<>();
    PeSectionContent text = new PeSectionContent(image);
    for (Bound one : bound) {
      names.computeIfAbsent(one.module, name -> boundName(text, name, entries));
      one.forwarders
          .keySet()
          .forEach(name -> names.computeIfAbsent(name, more -> boundName(text, more, entries)));
    }
    PeSectionContent part = new PeSectionContent(image);
    for (Bound one : bound) {
      part.u32(one.stamp).u16(at(names, one.module)).u16(one.forwarders.size());
      one.forwarders.forEach((name, stamp) -> part.u32(stamp).u16(at(names, name)).u16(0));
    }
    return part.fill(8, 0).bytes(text.content()).content();
  }

  private static int boundName(PeSectionContent text, String name, int entries) {
    int at = 8 * entries + text.size();
    text.text(name);
    return at;
  }

  private static int at(Map<String, Integer> names, String name) {
    Integer at = names.get(name);
    return at == null ? 0 : at;
  }

  private void writeDelayed(PeSectionContent part) {
    part.align(8);
    begins(DataDirectory.DELAY_IMPORT, part);
    for (Delayed one : delayed) {
      part.u32(one.addresses ? 0 : 1);
      for (String what : List.of("module.", "handle.", "table.", "names.")) {
        place(part, "delay." + what + one.module, one.addresses);
      }
      part.u32(0).u32(0).u32(0);
    }
    part.fill(DELAY_DESCRIPTOR, 0);
    ends(DataDirectory.DELAY_IMPORT, (delayed.size() + 1L) * DELAY_DESCRIPTOR);
    for (Delayed one : delayed) {
      part.label("delay.handle." + one.module).pointer(0);
      part.label("delay.table." + one.module);
      one.functions.forEach(function -> part.label(slot(one.module, function)).address(one.loader));
      part.pointer(0).label("delay.names." + one.module);
      one.functions.forEach(function -> named(part, one.module, function, one.addresses));
      part.pointer(0);
      one.functions.forEach(function -> hintName(part, one.module, function));
      part.label("delay.module." + one.module).text(one.module).align(8);
    }
  }

  private static void place(PeSectionContent part, String label, boolean address) {
    if (address) {
      part.address32(label);
    } else {
      part.rva(label);
    }
  }

  private void writeFunctions() {
    PeSectionContent infos = image.section(".xdata", DATA);
    PeSectionContent table = image.section(".pdata", DATA);
    Map<String, Function> byBegin = new LinkedHashMap<>();
    functions.forEach(function -> byBegin.put(function.begin, function));
    List<Function> ordered = new ArrayList<>(functions);
    ordered.sort(Comparator.comparingLong(function -> image.order(function.begin)));
    table.align(4);
    begins(DataDirectory.EXCEPTION, table);
    for (Function function : ordered) {
      infos.align(4).label("unwind." + function.begin);
      Function parent = byBegin.get(function.unwind.chainedTo());
      function.unwind.write(
          infos,
          parent == null ? null : List.of(parent.begin, parent.end, "unwind." + parent.begin));
      table.rva(function.begin).rva(function.end).rva("unwind." + function.begin);
    }
    ends(DataDirectory.EXCEPTION, 12L * ordered.size());
  }

  private void writeLoadConfig(PeSectionContent part) {
    boolean wide = image.pointerBytes() == 8;
    List<LoadConfig.Field> fields = new ArrayList<>(List.of(LoadConfig.Field.values()));
    fields.sort(Comparator.comparingInt(field -> field.at(wide)));
    part.align(8);
    begins(DataDirectory.LOAD_CONFIG, part);
    int from = part.size();
    settings.putIfAbsent(LoadConfig.Field.SIZE, new Setting(loadConfigSize, ""));
    for (LoadConfig.Field field : fields) {
      Setting setting = settings.get(field);
      if (setting == null || field.at(wide) + field.width(wide) > loadConfigSize) {
        continue;
      }
      part.fill(from + field.at(wide) - part.size(), 0);
      if (!setting.label.isEmpty() && field.width(wide) == image.pointerBytes()) {
        part.address(setting.label);
      } else if (!setting.label.isEmpty()) {
        part.rva(setting.label);
      } else {
        part.bytes(number(setting.value, field.width(wide)));
      }
    }
    part.fill(from + loadConfigSize - part.size(), 0);
    ends(DataDirectory.LOAD_CONFIG, loadConfigSize);
  }

  private static byte[] number(long value, int width) {
    byte[] bytes = new byte[width];
    for (int i = 0; i < width; i++) {
      bytes[i] = (byte) (value >>> 8 * i);
    }
    return bytes;
  }

  private void writeTls(PeSectionContent part, Tls storage) {
    part.align(8);
    begins(DataDirectory.TLS, part);
    int from = part.size();
    part.address(storage.begin).address(storage.end).address(storage.index);
    part.address("tls.callbacks").u32(storage.zeros).u32(0);
    ends(DataDirectory.TLS, part.size() - from);
    part.align(8).label("tls.callbacks");
    storage.callbacks.forEach(part::address);
    part.pointer(0);
  }

  private void writeDebug(PeSectionContent part) {
    part.align(4);
    begins(DataDirectory.DEBUG, part);
    int index = 0;
    for (Debug entry : debug) {
      part.u32(0).u32(0).u16(0).u16(0).u32(entry.type).u32(entry.content.size());
      String label = "debug." + index++;
      if (entry.content.size() == 0) {
        part.u32(0).u32(0);
      } else {
        part.rva(label).fileOffset(label);
      }
    }
    ends(DataDirectory.DEBUG, 28L * debug.size());
    for (int i = 0; i < debug.size(); i++) {
      part.align(4).label("debug." + i).bytes(debug.get(i).content.content());
    }
  }
}
