package io.ntrail.cli.pt;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.dumps.DumpedModule;
import io.ntrail.analysis.dumps.ImageSource;
import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.input.FileKind;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.SymbolSearchPath;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.elf.ElfImage;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.ElfSpace;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.memory.PageSpace;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.symbols.ImageSymbols;
import io.ntrail.programs.symbols.OpenPdb;
import io.ntrail.programs.symbols.PdbSearch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** The code that ran, as {@code --code} and {@code --pages} name it; holds the files open. */
final class PtCode implements AutoCloseable {
  private static final String CODE = "--code";
  private static final String PAGES = "--pages";
  private static final int PE_MAGIC = 0x5A4D;

  private final List<InputFile> files = new ArrayList<>();
  private final List<AddressSpace> spaces = new ArrayList<>();
  private final List<CodeModule> modules = new ArrayList<>();
  private final List<OpenPdb> pdbs = new ArrayList<>();

  private PtCode() {}

  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values(
            "FILE[@ADDRESS]",
            "code: ELF or PE at its lowest load address (default: its own), else raw bytes",
            CODE));
    spec.addOption(
        CommonOptions.values(
            "ADDRESSES,DUMP", "code: pages of 4 KiB, and a file of their addresses", PAGES));
  }

  /**
   * Opens the files.
   *
   * @param dump the minidump that the stream is in, whose memory is code, too, where no file has
   *     it; null if there is none
   * @throws UsageError if there are none
   */
  static PtCode open(ParseResult parsed, @Nullable DumpRecording dump, Terminal terminal) {
    PtCode code = new PtCode();
    PdbSearch search = SymbolSearchPath.offline(parsed, terminal);
    try {
      for (String word : CommonOptions.all(parsed, CODE)) {
        code.addFile(word, search, terminal);
      }
      for (String word : CommonOptions.all(parsed, PAGES)) {
        code.addPages(word);
      }
      if (dump != null) {
        dump.images(ImageSource.of(SymbolSearchPath.imageFolders(parsed)));
        code.addDump(dump, search);
      }
    } catch (CannotGoOn | DamagedInput | UsageError e) {
      code.close();
      throw e;
    }
    if (code.spaces.isEmpty()) {
      throw new UsageError(
          "pt flow needs the code that ran", "ntrail pt flow trace.pt --code program@0x400000");
    }
    return code;
  }

  private void addFile(String word, PdbSearch search, Terminal terminal) {
    int mark = word.lastIndexOf('@');
    String name = mark < 0 ? word : word.substring(0, mark);
    InputFile file = open(name);
    boolean isElf = ElfImage.looksLikeElf(file);
    boolean isPe = !isElf && file.size() >= 2 && file.window(0, 2).u16(0) == PE_MAGIC;
    if (FileKind.of(file) == FileKind.DUMP) {
      addDump(word, mark >= 0, file, search);
      return;
    }
    if (mark < 0 && !isElf && !isPe) {
      throw new UsageError(
          CODE + " " + word + " is neither ELF nor PE, and needs its address",
          CODE + " " + word + "@0x400000");
    }
    long address = mark < 0 ? 0 : address(word, word.substring(mark + 1));
    if (isElf) {
      ElfImage image = ElfImage.of(file);
      long base = mark < 0 ? image.lowest() : address;
      spaces.add(new ElfSpace(image, base));
      modules.add(ofElf(name, image, base, terminal));
    } else if (isPe) {
      PeImage image = PeImage.ofFile(file);
      long base = mark < 0 ? image.headers().imageBase() : address;
      spaces.add(new ImageSpace(image, base));
      modules.add(ofPe(name, image, base, search));
    } else {
      spaces.add(new RawSpace(file, address));
    }
  }

  private void addDump(String word, boolean hasAddress, InputFile file, PdbSearch search) {
    if (hasAddress) {
      throw new UsageError(
          CODE + " " + word + ": a dump knows its addresses itself",
          CODE + " " + word.substring(0, word.lastIndexOf('@')));
    }
    addDump(DumpRecording.open(file, new Gaps()), search);
  }

  private void addDump(DumpRecording dump, PdbSearch search) {
    spaces.add(dump.memory());
    for (DumpedModule module : dump.modules().list()) {
      modules.add(
          new CodeModule(
              module.path(),
              module.base(),
              module.size(),
              new DumpNames(module, search, pdbs),
              module.id(),
              module.pdb().orElse(null),
              module.pdbPath()));
    }
  }

  /** Returns the name of a file without that of its packing. */
  private static String unpacked(String name) {
    return name.replaceFirst("\\.gz$", "");
  }

  private static CodeModule ofElf(String name, ElfImage image, long base, Terminal terminal) {
    CodeModule.Names names = _ -> Optional.empty();
    try {
      names = ElfNames.of(image);
    } catch (DamagedInput e) {
      // Its code may be whole all the same.
      terminal.err().println("warning: no names of functions: " + e.getMessage());
    }
    return new CodeModule(unpacked(name), base, ElfNames.size(image), names, null, null, "");
  }

  private CodeModule ofPe(String name, PeImage image, long base, PdbSearch search) {
    PdbSearch.Result found = search.find(CommonOptions.path(name), image);
    found.pdb().ifPresent(pdbs::add);
    ImageSymbols symbols =
        found.pdb().map(pdb -> ImageSymbols.of(pdb.pdb())).orElseGet(() -> ImageSymbols.of(image));
    CodeView view = DebugDirectory.of(image).codeView().orElse(null);
    PdbId pdb = view instanceof CodeView.Pdb70(var guid, long age, _) ? new PdbId(guid, age) : null;
    return new CodeModule(
        unpacked(name),
        base,
        image.headers().sizeOfImage(),
        rva ->
            symbols
                .at(rva)
                .map(symbol -> new CodeModule.Named(symbol.begin(), symbol.function().function())),
        new ImageId(image.headers().timestamp(), image.headers().sizeOfImage()),
        pdb,
        pdb == null || view == null ? "" : view.path());
  }

  private static long address(String word, String text) {
    try {
      return FunctionArgument.address(text);
    } catch (NumberFormatException _) {
      throw new UsageError(CODE + " takes FILE@ADDRESS, not " + word, CODE + " program@0x400000");
    }
  }

  private void addPages(String word) {
    int comma = word.indexOf(',');
    if (comma <= 0) {
      throw new UsageError(
          PAGES + " takes ADDRESSES,DUMP, not " + word, PAGES + " code.addr,code.dump");
    }
    InputFile addresses = open(word.substring(0, comma));
    InputFile dump = open(word.substring(comma + 1));
    if (addresses.size() % Long.BYTES != 0
        || addresses.size() / Long.BYTES * PageSpace.PAGE != dump.size()) {
      throw new CannotGoOn(
          "%s and %s do not belong together: %s of addresses, 8 each, and %s of pages, 4,096 each"
              .formatted(
                  addresses.name(),
                  dump.name(),
                  Numbers.counted(addresses.size(), "byte"),
                  Numbers.counted(dump.size(), "byte")),
          PAGES + " code.addr,code.dump");
    }
    spaces.add(new PageSpace(addresses, dump));
  }

  private InputFile open(String word) {
    Path path = CommonOptions.path(word);
    List<InputFile> opened = Archives.open(path, _ -> true, new Gaps());
    files.addAll(opened);
    if (opened.size() != 1) {
      throw new CannotGoOn(path + " holds " + opened.size() + " files", "unpack it");
    }
    return opened.getFirst();
  }

  /** Returns the code: of two files at one address, the one that was named first counts. */
  AddressSpace space() {
    return spaces.size() == 1 ? spaces.getFirst() : new LayeredSpace("code", spaces);
  }

  /** Returns the names of the functions in it. */
  FlowFunctions functions() {
    return new FlowFunctions(modules);
  }

  @Override
  public void close() {
    pdbs.forEach(OpenPdb::close);
    files.forEach(InputFile::close);
  }

  /**
   * Names of a module in a dump: of its PDB, else of its exports. Looked for at the first question.
   */
  private static final class DumpNames implements CodeModule.Names {
    private final DumpedModule module;
    private final PdbSearch search;
    private final List<OpenPdb> opened;
    private boolean isSought;
    private @Nullable ImageSymbols symbols;

    /**
     * Knows none yet.
     *
     * @param opened receives the PDB, to be closed by the caller
     */
    DumpNames(DumpedModule module, PdbSearch search, List<OpenPdb> opened) {
      this.module = module;
      this.search = search;
      this.opened = opened;
    }

    @Override
    public synchronized Optional<CodeModule.Named> at(long rva) {
      if (!isSought) {
        isSought = true;
        symbols = find();
      }
      return symbols == null
          ? Optional.empty()
          : symbols
              .at(rva)
              .map(symbol -> new CodeModule.Named(symbol.begin(), symbol.function().function()));
    }

    private @Nullable ImageSymbols find() {
      Optional<OpenPdb> pdb = module.pdb().flatMap(id -> search.find(id, module.pdbPath()).pdb());
      if (pdb.isPresent()) {
        opened.add(pdb.get());
        return ImageSymbols.of(pdb.get().pdb());
      }
      return module.image().map(ImageSymbols::of).orElse(null);
    }
  }
}
