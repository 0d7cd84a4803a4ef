package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.events.EventFilter;
import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.Events;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.analysis.merge.Additions.SystemFacts;
import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.etl.ClassRecord;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.DebugDirectory.CodeView;
import io.ntrail.formats.schema.Payload;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.SymbolStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Identities of images that a recording lacks: the PDBs that belong to them, read from the images
 * themselves where these are at hand. Symbols are found by them on any other machine.
 *
 * <p>Source: facts on the events of the kernel, records that are added by merging (ImageID).
 */
public final class ImageIdentities {
  private static final Guid IMAGE_ID = Guid.parse("b3e675d7-2554-4f18-830b-2762732560de");
  private static final int VERSION = 2;
  private static final int INFO = 0;
  private static final int RSDS = 36;
  private static final Set<String> EVENTS = Set.of("Image/Load", "Image/DCStart", "Image/DCEnd");

  /** Records that are added: more are a recording made up, whose images are missing then. */
  private static final int MOST = 1 << 20;

  private final Events events;
  private final SymbolStores stores;
  private final Optional<MachineImages> machine;
  private final int pointerBytes;
  private final Map<ImageFile, Optional<CodeView.Pdb70>> known = new HashMap<>();
  private final Set<Mapped> done = new HashSet<>();
  private final List<AddedRecord> added = new ArrayList<>();
  private final Set<ImageFile> identified = new HashSet<>();
  private final Set<String> missing = new TreeSet<>();

  private record Mapped(int process, long base, ImageFile file) {}

  private ImageIdentities(Events events, SymbolStores stores, Optional<MachineImages> machine) {
    this.events = events;
    this.stores = stores;
    this.machine = machine;
    this.pointerBytes =
        events.recording().files().getFirst().header().map(h -> h.pointerBytes()).orElse(8);
  }

  /**
   * Looks for the images whose PDBs a recording does not name.
   *
   * @param events with addresses ({@link Events.Learn#ADDRESSES})
   * @param stores where images are looked for
   * @param machine where they are looked for afterwards, at their recorded paths
   */
  public static Additions of(Events events, SymbolStores stores, Optional<MachineImages> machine) {
    return new ImageIdentities(events, stores, machine).find();
  }

  private Additions find() {
    Set<ImageFile> named = new HashSet<>();
    List<ImageFile> files = events.machine().images().files();
    for (int file = 0; file < files.size(); file++) {
      if (events.machine().images().pdb(file).isPresent()) {
        named.add(files.get(file));
      }
    }
    try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
      while (walk.next()) {
        EventReader event = walk.event();
        if (EVENTS.contains(String.valueOf(event.type().event()))) {
          look(event, named);
        }
      }
    }
    return new Additions(
        AddedRecord.inOrder(added),
        identified.size(),
        SystemFacts.NONE,
        0,
        0,
        missing.stream()
            .map(name -> new Missing("image", name, "not found, damaged or without a PDB"))
            .toList());
  }

  private void look(EventReader event, Set<ImageFile> named) {
    Payload payload = event.payload();
    int base = payload.find("ImageBase");
    int size = payload.find("ImageSize");
    int name = payload.find("FileName");
    int process = payload.find("ProcessId");
    int stamp = payload.find("TimeDateStamp");
    if (base < 0 || size < 0 || name < 0 || process < 0 || stamp < 0) {
      // Old versions do not tell which build it is.
      return;
    }
    ImageFile file =
        new ImageFile(payload.text(name), payload.integer(size), (int) payload.integer(stamp));
    int pid = (int) payload.integer(process);
    long at = payload.integer(base);
    if (named.contains(file) || !done.add(new Mapped(pid, at, file))) {
      return;
    }
    if (added.size() >= MOST) {
      missing.add(file.name());
      return;
    }
    Optional<CodeView.Pdb70> pdb = known.computeIfAbsent(file, this::read);
    if (pdb.isEmpty()) {
      missing.add(file.name());
      return;
    }
    identified.add(file);
    add(INFO, event.record(), pid, info(at, pid, file));
    add(RSDS, event.record(), pid, rsds(at, pid, pdb.get()));
  }

  private Optional<CodeView.Pdb70> read(ImageFile file) {
    Optional<ImageFileRequest> sought = ImageFileRequest.of(file.name(), file.id());
    Optional<OpenImage> image =
        sought
            .flatMap(one -> stores.find(one).found())
            .or(() -> sought.flatMap(one -> machine.flatMap(its -> its.find(file.path(), one))));
    if (image.isEmpty()) {
      return Optional.empty();
    }
    try (OpenImage open = image.get()) {
      @Nullable CodeView view = DebugDirectory.of(open.image()).codeView().orElse(null);
      return view instanceof CodeView.Pdb70 pdb ? Optional.of(pdb) : Optional.empty();
    } catch (DamagedInput e) {
      return Optional.empty();
    }
  }

  private void add(int opcode, RecordCursor load, int pid, BytesBuilder payload) {
    long ticks = load.ticks();
    ClassRecord record =
        new ClassRecord(IMAGE_ID, opcode, VERSION, ticks, pid, load.threadId(), pointerBytes);
    added.add(new AddedRecord(ticks, record.bytes(payload.toArray())));
  }

  private BytesBuilder pointer(BytesBuilder out, long value) {
    return pointerBytes == 4 ? out.u32((int) value) : out.u64(value);
  }

  private BytesBuilder info(long base, int pid, ImageFile file) {
    BytesBuilder out = pointer(pointer(new BytesBuilder(128), base), file.size());
    return out.u32(pid).u32(file.timeDateStamp()).utf16z(file.name());
  }

  private BytesBuilder rsds(long base, int pid, CodeView.Pdb70 pdb) {
    BytesBuilder out = pointer(new BytesBuilder(128), base).u32(pid);
    out.u64(pdb.guid().low()).u64(pdb.guid().high()).u32((int) pdb.age());
    return out.bytes(pdb.path().getBytes(StandardCharsets.UTF_8)).u8(0);
  }
}
