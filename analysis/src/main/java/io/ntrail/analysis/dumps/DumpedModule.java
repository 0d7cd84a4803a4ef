package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.CodeViewRecord;
import io.ntrail.formats.dump.DumpModule;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.unwind.LoadedModule;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A module that was loaded, with its image from the memory of the dump and from its file. Both are
 * looked for when they are first requested. May be used by several threads.
 */
public final class DumpedModule {
  private static final String NAMELESS = "(nameless)";

  private final DumpModule module;
  private final ModuleImages images;
  private final long size;
  private boolean isMemoryRead;
  private @Nullable PeImage memoryImage;
  private boolean isFileSought;
  private @Nullable OpenImage file;
  private @Nullable RelocatedFile relocated;
  private @Nullable LoadedModule loaded;

  DumpedModule(DumpModule module, long size, ModuleImages images) {
    this.module = module;
    this.size = size;
    this.images = images;
  }

  /** Returns the module as the dump lists it. */
  public DumpModule module() {
    return module;
  }

  /** Returns its path as the loader knew it; empty if the dump does not tell. */
  public String path() {
    return module.path();
  }

  /** Returns its file name; a word that says so if the dump does not tell. */
  public String name() {
    return nameOf(module.path());
  }

  /** Returns the file name of a module by its path, or a word for those that have none. */
  public static String nameOf(String path) {
    String name = WindowsPath.lastPart(path);
    return name.isEmpty() ? NAMELESS : name;
  }

  /** Returns its first address. */
  public long base() {
    return module.base();
  }

  /** Returns its bytes in memory, from 1. */
  public long size() {
    return size;
  }

  /** Returns its identity as an image. */
  public ImageId id() {
    return module.id();
  }

  /** Returns true if an address is in it. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - base(), size) < 0;
  }

  /**
   * Returns the identity of its PDB: as the dump says, else as its image does; empty if it has none
   * or neither tells.
   */
  public Optional<PdbId> pdb() {
    Optional<PdbId> recorded = module.pdb();
    return recorded.isPresent()
        ? recorded
        : codeView().map(view -> new PdbId(view.guid(), view.age()));
  }

  /** Returns the path of its PDB as the linker wrote it; empty if unknown. */
  public String pdbPath() {
    return module
        .symbols()
        .map(CodeViewRecord::path)
        .orElseGet(() -> codeView().map(CodeView.Pdb70::path).orElse(""));
  }

  private Optional<CodeView.Pdb70> codeView() {
    return image()
        .flatMap(image -> DebugDirectory.of(image).codeView())
        .flatMap(view -> view instanceof CodeView.Pdb70 pdb ? Optional.of(pdb) : Optional.empty());
  }

  /**
   * Returns its image: of the saved memory if that has all of it, else of its file; without a file,
   * of what was saved, if its headers were.
   */
  public Optional<PeImage> image() {
    Optional<PeImage> inMemory = memoryImage();
    if (inMemory.isPresent() && isWhole(inMemory.get())) {
      return inMemory;
    }
    Optional<PeImage> onDisk = file().map(OpenImage::image);
    return onDisk.isPresent() ? onDisk : inMemory;
  }

  /** Returns its image of the saved memory, however much that has; empty without headers. */
  public synchronized Optional<PeImage> memoryImage() {
    if (!isMemoryRead) {
      isMemoryRead = true;
      memoryImage = read();
    }
    return Optional.ofNullable(memoryImage);
  }

  private @Nullable PeImage read() {
    return ModuleImages.image(savedView(), base());
  }

  /** Returns how many of its bytes were saved. */
  public long savedBytes() {
    return savedView().storedBytes();
  }

  /** Returns its saved memory by RVA. */
  ImageView savedView() {
    return images.view(this);
  }

  /**
   * Returns its image out of all that is known: bytes of memory where they were saved, the others
   * from its file, relocated. Empty if neither has its headers.
   */
  public Optional<PeImage> wholeImage() {
    Optional<OpenImage> onDisk = file();
    if (onDisk.isEmpty()) {
      return memoryImage();
    }
    List<ImageView.Extent> extents =
        RelocatedFile.extents(onDisk.get().image(), base(), images.extents(this));
    return Optional.ofNullable(
        ModuleImages.image(ImageView.of(images.name(this), extents), base()));
  }

  /** Returns true if saved memory has all of the image that its headers list. */
  private static boolean isWhole(PeImage image) {
    return image.sections().stream()
        .allMatch(
            section -> section.size() == 0 || image.view().has(section.rva(), section.size()));
  }

  /** Returns its file; empty if none of its build is found. */
  public synchronized Optional<OpenImage> file() {
    if (!isFileSought) {
      isFileSought = true;
      file = images.open(this).orElse(null);
    }
    return Optional.ofNullable(file);
  }

  /** Returns true if the file was looked for and found. */
  public boolean hasFile() {
    return file().isPresent();
  }

  /**
   * Returns bytes as the file has them at an address of memory, relocated; none where the file has
   * nothing, or what the program could write.
   */
  Bytes fileBytes(long address, int most) {
    return relocated().map(r -> r.readUpTo(address, most)).orElseGet(() -> images.nothing());
  }

  private synchronized Optional<RelocatedFile> relocated() {
    if (relocated == null) {
      relocated = file().map(open -> new RelocatedFile(open.image(), base())).orElse(null);
    }
    return Optional.ofNullable(relocated);
  }

  /** Returns the module for unwinders; the same object each time. */
  public synchronized LoadedModule loaded() {
    if (loaded == null) {
      loaded = new LoadedModule(path(), base(), size, image());
    }
    return loaded;
  }
}
