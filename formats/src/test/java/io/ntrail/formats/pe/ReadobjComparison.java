package io.ntrail.formats.pe;

import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.Imports.Module;
import io.ntrail.formats.pe.Imports.Symbol;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.LoadConfig.GuardEntry;
import io.ntrail.formats.pe.fixups.Relocations;
import io.ntrail.testkit.pe.ToolNode;
import io.ntrail.testkit.pe.ToolOutput;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Compares all that llvm-readobj prints about one image with what the readers say. */
final class ReadobjComparison {
  private static final Pattern NAME_AND_BYTES = Pattern.compile("(?:.* )?\\(([0-9A-F ]{23})\\)");
  private static final Pattern SYMBOL = Pattern.compile("(.*) \\((\\d+)\\)");
  private static final Pattern GUARD = Pattern.compile("0x([0-9A-F]+)(?: flags ([0-9A-F]+))?");

  /** The names of data directories as readobj spells them, in their order. */
  private static final List<String> DIRECTORIES =
      List.of(
          "ExportTable",
          "ImportTable",
          "ResourceTable",
          "ExceptionTable",
          "CertificateTable",
          "BaseRelocationTable",
          "Debug",
          "Architecture",
          "GlobalPtr",
          "TLSTable",
          "LoadConfigTable",
          "BoundImport",
          "IAT",
          "DelayImportDescriptor",
          "CLRRuntimeHeader",
          "Reserved");

  private static final Map<String, Field> FIELDS = fields();

  private final ToolNode told;
  private final boolean isCut;
  private final PeImage image;
  private final Differences differences;
  private boolean codeViewSeen;

  ReadobjComparison(ToolOutput output, PeImage image, Differences differences) {
    this.told = ToolNode.parse(output);
    this.isCut = output.status() != 0;
    this.image = image;
    this.differences = differences;
  }

  private static Map<String, Field> fields() {
    Map<String, Field> fields = new LinkedHashMap<>();
    for (Field field : Field.values()) {
      fields.put(field.name().replace("_", "").toLowerCase(Locale.ROOT), field);
    }
    fields.put("guardcfcheckfunction", Field.GUARD_CF_CHECK_FUNCTION_POINTER);
    fields.put("guardcfcheckdispatch", Field.GUARD_CF_DISPATCH_FUNCTION_POINTER);
    return fields;
  }

  void all() {
    fileHeader();
    optionalHeader();
    sections();
    imports();
    delayImports();
    exports();
    if (isCut) {
      relocationsOfNone();
      return;
    }
    relocations();
    debug();
    threadStorage();
    loadConfig();
  }

  private void number(ToolNode node, String field, long read) {
    differences.same(field, node.number(field), read);
  }

  private void fileHeader() {
    differences.part("file header");
    PeHeaders headers = image.headers();
    number(told.first("DOSHeader"), "AddressOfNewExeHeader", headers.peOffset());
    ToolNode node = told.first("ImageFileHeader");
    number(node, "Machine", headers.machine());
    number(node, "SectionCount", headers.sectionCount());
    number(node, "TimeDateStamp", headers.timestamp());
    number(node, "PointerToSymbolTable", headers.symbolTableOffset());
    number(node, "SymbolCount", headers.symbolCount());
    number(node, "OptionalHeaderSize", headers.optionalSize());
    number(node, "Characteristics", headers.characteristics());
  }

  private void optionalHeader() {
    differences.part("optional header");
    PeHeaders headers = image.headers();
    ToolNode node = told.first("ImageOptionalHeader");
    number(node, "Magic", headers.magic());
    number(node, "MajorLinkerVersion", headers.linkerMajor());
    number(node, "MinorLinkerVersion", headers.linkerMinor());
    number(node, "SizeOfCode", headers.sizeOfCode());
    number(node, "SizeOfInitializedData", headers.sizeOfInitializedData());
    number(node, "SizeOfUninitializedData", headers.sizeOfUninitializedData());
    number(node, "AddressOfEntryPoint", headers.entryPoint());
    number(node, "BaseOfCode", headers.baseOfCode());
    differences.same("PE32+", !node.has("BaseOfData"), headers.isWide());
    if (node.has("BaseOfData")) {
      number(node, "BaseOfData", headers.baseOfData());
    }
    number(node, "ImageBase", headers.imageBase());
    number(node, "SectionAlignment", headers.sectionAlignment());
    number(node, "FileAlignment", headers.fileAlignment());
    number(node, "MajorOperatingSystemVersion", headers.osMajor());
    number(node, "MinorOperatingSystemVersion", headers.osMinor());
    number(node, "MajorImageVersion", headers.imageMajor());
    number(node, "MinorImageVersion", headers.imageMinor());
    number(node, "MajorSubsystemVersion", headers.subsystemMajor());
    number(node, "MinorSubsystemVersion", headers.subsystemMinor());
    number(node, "SizeOfImage", headers.sizeOfImage());
    number(node, "SizeOfHeaders", headers.sizeOfHeaders());
    number(node, "Subsystem", headers.subsystem());
    number(node, "Characteristics", headers.dllCharacteristics());
    number(node, "SizeOfStackReserve", headers.stackReserve());
    number(node, "SizeOfStackCommit", headers.stackCommit());
    number(node, "SizeOfHeapReserve", headers.heapReserve());
    number(node, "SizeOfHeapCommit", headers.heapCommit());
    number(node, "NumberOfRvaAndSize", headers.directoryCount());
    ToolNode directories = node.first("DataDirectory");
    for (int i = 0; i < DIRECTORIES.size(); i++) {
      Range range = image.directory(DataDirectory.values()[i]);
      String name = DIRECTORIES.get(i);
      if (directories.has(name + "RVA")) {
        number(directories, name + "RVA", range.rva());
        number(directories, name + "Size", range.size());
      } else {
        differences.same(name, Range.NONE, range);
      }
    }
  }

  private void sections() {
    differences.part("sections");
    List<ToolNode> nodes = told.first("Sections").all("Section");
    differences.same("count", nodes.size(), image.sections().size());
    for (int i = 0; i < Math.min(nodes.size(), image.sections().size()); i++) {
      ToolNode node = nodes.get(i);
      Section section = image.sections().get(i);
      number(node, "Number", section.number());
      differences.same("Name", sectionName(node.text("Name")), section.name());
      number(node, "VirtualSize", section.virtualSize());
      number(node, "VirtualAddress", section.rva());
      number(node, "RawDataSize", section.rawSize());
      number(node, "PointerToRawData", section.rawOffset());
      number(node, "PointerToRelocations", section.relocationsOffset());
      number(node, "PointerToLineNumbers", section.lineNumbersOffset());
      number(node, "RelocationCount", section.relocationCount());
      number(node, "LineNumberCount", section.lineNumberCount());
      number(node, "Characteristics", Integer.toUnsignedLong(section.characteristics()));
    }
  }

  /** The name from its stored bytes: readobj resolves {@code /4} into a long name. */
  private static String sectionName(String text) {
    Matcher bytes = NAME_AND_BYTES.matcher(text);
    if (!bytes.matches()) {
      throw new IllegalArgumentException("not a section name: " + text);
    }
    byte[] stored = HexFormat.of().parseHex(bytes.group(1).replace(" ", ""));
    int length = 0;
    while (length < stored.length && stored[length] != 0) {
      length++;
    }
    return new String(stored, 0, length, StandardCharsets.UTF_8);
  }

  private void imports() {
    differences.part("imports");
    List<Module> modules =
        Imports.of(image).modules().stream().filter(module -> !module.delay()).toList();
    List<ToolNode> nodes = told.all("Import");
    differences.same("modules", names(nodes), modules.stream().map(Module::name).toList());
    for (int i = 0; i < Math.min(nodes.size(), modules.size()); i++) {
      ToolNode node = nodes.get(i);
      Module module = modules.get(i);
      number(node, "ImportLookupTableRVA", module.namesRva());
      number(node, "ImportAddressTableRVA", module.addressesRva());
      symbols(node.all("Symbol"), module);
    }
  }

  private static List<String> names(List<ToolNode> nodes) {
    return nodes.stream().map(node -> node.text("Name")).toList();
  }

  private void symbols(List<ToolNode> nodes, Module module) {
    List<Symbol> symbols = module.symbols();
    differences.same(module.name() + " count", nodes.size(), symbols.size());
    for (int i = 0; i < Math.min(nodes.size(), symbols.size()); i++) {
      Matcher symbol = SYMBOL.matcher(nodes.get(i).value());
      if (!symbol.matches()) {
        throw new IllegalArgumentException("not an import: " + nodes.get(i));
      }
      Symbol read = symbols.get(i);
      // By ordinal: readobj prints an empty name.
      differences.same("name", symbol.group(1), read.name() == null ? "" : read.name());
      differences.same("hint or ordinal", Long.parseLong(symbol.group(2)), read.ordinal());
      differences.same(
          "slot", module.addressesRva() + (long) image.headers().pointerBytes() * i, read.slot());
    }
  }

  private void delayImports() {
    differences.part("delay imports");
    List<Module> modules = Imports.of(image).modules().stream().filter(Module::delay).toList();
    List<ToolNode> nodes = told.all("DelayImport");
    differences.same("modules", names(nodes), modules.stream().map(Module::name).toList());
    for (int i = 0; i < Math.min(nodes.size(), modules.size()); i++) {
      ToolNode node = nodes.get(i);
      Module module = modules.get(i);
      number(node, "ModuleHandle", module.handleRva());
      number(node, "ImportAddressTable", module.addressesRva());
      number(node, "ImportNameTable", module.namesRva());
      List<ToolNode> imports = node.all("Import");
      symbols(imports.stream().map(child -> child.first("Symbol")).toList(), module);
      for (int j = 0; j < Math.min(imports.size(), module.symbols().size()); j++) {
        long slot = module.symbols().get(j).slot();
        number(
            imports.get(j), "Address", image.view().pointer(slot, image.headers().pointerBytes()));
      }
    }
  }

  /** Export in the terms of readobj: a row of the address table with the first of its names. */
  private record Row(long ordinal, String name, long rva) {}

  private void exports() {
    differences.part("exports");
    if (told.all("Export").stream().anyMatch(node -> node.children().isEmpty())) {
      // impbyord.exe: its export directory lies at the end of the section and readobj stops there.
      return;
    }
    List<Row> rows =
        told.all("Export").stream()
            .map(node -> new Row(node.number("Ordinal"), node.text("Name"), node.number("RVA")))
            .filter(row -> row.rva != 0 || !row.name.isEmpty())
            .toList();
    List<Row> read = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    for (Export export : Exports.of(image).list()) {
      if (seen.add(export.ordinal())) {
        read.add(
            new Row(export.ordinal(), export.name() == null ? "" : export.name(), export.rva()));
      }
    }
    differences.same("count", rows.size(), read.size());
    for (int i = 0; i < Math.min(rows.size(), read.size()); i++) {
      differences.same("row " + i, rows.get(i), read.get(i));
    }
  }

  private void loadConfig() {
    differences.part("load config");
    Optional<LoadConfig> config = LoadConfig.of(image);
    differences.same("presence", told.has("LoadConfig"), config.isPresent());
    if (!told.has("LoadConfig") || config.isEmpty()) {
      return;
    }
    ToolNode node = told.first("LoadConfig");
    for (ToolNode child : node.children()) {
      Field field = FIELDS.get(child.name().toLowerCase(Locale.ROOT));
      if (field == null) {
        differences.same(child.name(), child.value(), null);
        continue;
      }
      differences.same("has " + field, true, config.get().has(field));
      differences.same(field.name(), child.number(), config.get().value(field));
    }
    differences.part("guard tables");
    guardTable("GuardFidTable", config.get().guardFunctions(), true);
    guardTable("GuardIatTable", config.get().guardIatEntries(), config.get().guardStride() == 4);
    guardTable(
        "GuardLJmpTable", config.get().guardLongJumpTargets(), config.get().guardStride() == 4);
    guardTable(
        "GuardEHContTable", config.get().guardEhContinuations(), config.get().guardStride() == 5);
    List<Long> handlers =
        Arrays.stream(config.get().safeSehHandlers().orElse(new long[0])).boxed().toList();
    List<Long> toldHandlers =
        told.all("SEHTable").stream()
            .flatMap(table -> table.children().stream())
            .map(entry -> entry.number() - image.headers().imageBase())
            .toList();
    differences.same("SEHTable", toldHandlers, handlers);
  }

  /**
   * @param strideFits readobj 14 takes entries of these tables to be of one length whatever the
   *     guard flags say; only where that is so its entries after the first are ones
   */
  private void guardTable(String name, List<GuardEntry> read, boolean strideFits) {
    List<GuardEntry> entries = new ArrayList<>();
    for (ToolNode table : told.all(name)) {
      for (ToolNode line : table.children()) {
        Matcher entry = GUARD.matcher(line.value());
        if (!entry.matches()) {
          throw new IllegalArgumentException("not a guard entry: " + line.value());
        }
        entries.add(
            new GuardEntry(
                Long.parseUnsignedLong(entry.group(1), 16) - image.headers().imageBase(),
                entry.group(2) == null ? 0 : Integer.parseInt(entry.group(2), 16)));
      }
    }
    differences.same(name + " count", entries.size(), read.size());
    int comparable = Math.min(strideFits ? entries.size() : 1, read.size());
    for (int i = 0; i < Math.min(comparable, entries.size()); i++) {
      differences.same(name + " " + i, entries.get(i), read.get(i));
    }
  }

  private void threadStorage() {
    differences.part("thread storage");
    ToolNode node = told.first("TLSDirectory");
    Optional<Tls> tls = Tls.of(image);
    differences.same("presence", !node.children().isEmpty(), tls.isPresent());
    if (tls.isPresent() && !node.children().isEmpty()) {
      address(node, "StartAddressOfRawData", tls.get().begin());
      address(node, "EndAddressOfRawData", tls.get().end());
      address(node, "AddressOfIndex", tls.get().index());
      address(node, "AddressOfCallBacks", tls.get().callbacksRva());
      number(node, "SizeOfZeroFill", tls.get().zeroFill());
      number(node, "Characteristics", tls.get().characteristics());
    }
  }

  private void address(ToolNode node, String field, long rva) {
    long address = node.number(field);
    differences.same(field, address == 0 ? 0 : address - image.headers().imageBase(), rva);
  }

  /** Relocation in the terms of readobj, without padding. */
  private record Relocation(int type, long rva) {}

  private void relocations() {
    differences.part("base relocations");
    List<Relocation> read = new ArrayList<>();
    Relocations relocations = Relocations.of(image);
    relocations.forEach((rva, type, low) -> read.add(new Relocation(type, rva)));
    List<Relocation> entries = new ArrayList<>();
    boolean half = false;
    for (ToolNode table : told.all("BaseReloc")) {
      for (ToolNode entry : table.children()) {
        int type = relocationType(entry.text("Type"));
        // The slot after a HIGHADJ is its low half, which readobj takes for one of its own.
        if (type != Relocations.ABSOLUTE && !half) {
          entries.add(new Relocation(type, entry.number("Address")));
        }
        half = type == Relocations.HIGHADJ && !half;
      }
    }
    differences.same("count", entries.size(), read.size());
    for (int i = 0; i < Math.min(entries.size(), read.size()); i++) {
      differences.same("entry " + i, entries.get(i), read.get(i));
    }
  }

  /**
   * Nine images have one block without entries: readobj 14 takes what follows for entries until it
   * crashes. In the tenth it goes wrong in the exports before, which the image does not have.
   */
  private void relocationsOfNone() {
    differences.part("base relocations");
    Relocations relocations = Relocations.of(image);
    differences.same("entries", 0, relocations.count());
    differences.same("blocks", image.name().contains("impbyord") ? 0 : 1, relocations.blocks());
  }

  private static int relocationType(String text) {
    return switch (text) {
      case "ABSOLUTE" -> Relocations.ABSOLUTE;
      case "HIGH" -> Relocations.HIGH;
      case "LOW" -> Relocations.LOW;
      case "HIGHLOW" -> Relocations.HIGHLOW;
      case "HIGHADJ" -> Relocations.HIGHADJ;
      case "ARM_MOV32(A)" -> 5;
      case "ARM_MOV32(T)" -> 7;
      case "DIR64" -> Relocations.DIR64;
      default -> Integer.parseInt(text.replaceAll("unknown \\((\\d+)\\)", "$1"));
    };
  }

  private void debug() {
    differences.part("debug directory");
    List<ToolNode> nodes =
        told.all("DebugDirectory").stream()
            .flatMap(node -> node.all("DebugEntry").stream())
            .toList();
    List<DebugDirectory.Entry> entries = DebugDirectory.of(image).entries();
    differences.same("count", nodes.size(), entries.size());
    for (int i = 0; i < Math.min(nodes.size(), entries.size()); i++) {
      debugEntry(nodes.get(i), entries.get(i));
    }
  }

  private void debugEntry(ToolNode node, DebugDirectory.Entry entry) {
    number(node, "Characteristics", entry.characteristics());
    number(node, "TimeDateStamp", entry.timestamp());
    number(node, "MajorVersion", entry.majorVersion());
    number(node, "MinorVersion", entry.minorVersion());
    number(node, "Type", entry.type());
    number(node, "SizeOfData", entry.size());
    number(node, "AddressOfRawData", entry.rva());
    number(node, "PointerToRawData", entry.offset());
    byte @Nullable [] data =
        entry.data() == null ? null : entry.data().array(0, entry.data().length());
    if (node.has("RawData")) {
      differences.same(
          "RawData",
          HexFormat.of().formatHex(node.first("RawData").raw()),
          data == null ? null : HexFormat.of().formatHex(data));
    }
    if (node.has("ExtendedCharacteristics")) {
      number(node, "ExtendedCharacteristics", DebugDirectory.of(image).exDllCharacteristics());
    }
    if (node.has("PDBInfo") && data != null) {
      codeView(node.first("PDBInfo"), data);
    }
  }

  private void codeView(ToolNode node, byte[] data) {
    String guid = HexFormat.of().formatHex(data, 4, 20);
    differences.same(
        "PDBGUID", node.text("PDBGUID").replaceAll("[() ]", "").toLowerCase(Locale.ROOT), guid);
    String path = new String(data, 24, data.length - 24, StandardCharsets.ISO_8859_1);
    differences.same("PDBFileName", node.text("PDBFileName"), path.substring(0, path.indexOf(0)));
    if (DebugDirectory.of(image).codeView().orElse(null)
        instanceof DebugDirectory.CodeView.Pdb70 pdb) {
      // An image of native code made from another has a second one: the first counts.
      if (!codeViewSeen) {
        codeViewSeen = true;
        number(node, "PDBSignature", 0x53445352);
        number(node, "PDBAge", pdb.age());
        differences.same("path", node.text("PDBFileName"), pdb.path());
        differences.same("guid", text(guid), pdb.guid().toString());
      }
    } else {
      differences.same("PDBInfo", node, DebugDirectory.of(image).codeView());
    }
  }

  /** The usual form: the first three parts are stored from their low byte on. */
  private static String text(String stored) {
    StringBuilder text = new StringBuilder();
    for (int at : new int[] {6, 4, 2, 0, -1, 10, 8, -1, 14, 12, -1, 16, 18, -1}) {
      text.append(at < 0 ? "-" : stored.substring(at, at + 2));
    }
    return text + stored.substring(20);
  }
}
