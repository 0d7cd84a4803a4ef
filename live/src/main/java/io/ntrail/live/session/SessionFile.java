package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.ArgumentCopies;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Controller's view of the file that the target, the agent and the recorder have mapped
 * (docs/live.md section 1). Chunks are offered from the beginning, or when the session grows; areas
 * when they are made.
 *
 * <p>What the controller wrote is kept here as well and never read back, since the target could
 * have changed it. Areas may be offered by any thread; chunks are the {@link Recorder}'s.
 */
public final class SessionFile implements AutoCloseable {
  private static final long CELLS = (long) SessionLayout.MOST_CELLS * SessionLayout.CELL_BYTES;

  private final SharedFile file;
  private final DllNotificationRing notices;
  private final ResumeRequests resumes;
  private final CallTablePool tables;
  private final ThrottleCells cells;
  private final StackSamples samples;
  private final RecordLayout records;
  private final BufferMemory memory;
  private volatile int pointerBytes = Long.BYTES;
  private int chunks;
  private int mostChunks;
  private final int[] chunkRing = new int[SessionLayout.CHUNK_RING];
  private int chunksOffered;
  private int drains;
  private long fullRead;
  private int areas;
  private int areasOffered;

  private SessionFile(
      SharedFile file,
      RecordLayout records,
      int mostChunks,
      BufferMemory memory,
      CallTables tables,
      long cells,
      SamplePlaces samples) {
    this.file = file;
    this.tables = new CallTablePool(file, tables);
    this.cells = new ThrottleCells(file, cells);
    this.samples = new StackSamples(file, samples);
    this.notices = new DllNotificationRing(file);
    this.resumes = new ResumeRequests(file);
    this.records = records;
    this.mostChunks = mostChunks;
    this.memory = memory;
  }

  /** Creates a session that does not grow, without cells, and without places for stacks. */
  public static SessionFile create(int recordBytes, int chunks) throws IOException {
    return create(RecordLayout.of(recordBytes), chunks, false, 0);
  }

  /**
   * Creates a session that does not grow: in memory if there is room, else in the temporary folder.
   *
   * @param chunks of 64 KiB, 2 to 65,536
   * @param throttles whether functions have cells
   * @param every of so many calls, the stack of one is sampled; 0: of none
   * @throws IOException if there is no room anywhere
   */
  public static SessionFile create(RecordLayout records, int chunks, boolean throttles, int every)
      throws IOException {
    BufferMemory all = BufferMemory.of(0);
    return create(
        SharedFile.folders(), records, chunks, chunks, all, CallTables.NONE, throttles, every);
  }

  /**
   * Creates a session whose target adds calls up: in memory if there is room, else in the temporary
   * folder.
   *
   * @param detail times or counts
   * @param functions how many are expected
   * @param bytes of a pointer of the target
   */
  public static SessionFile adding(CallDetail detail, int functions, int bytes) throws IOException {
    int chunks = SessionLayout.FEWEST_CHUNKS;
    CallTables tables = CallTables.of(detail, at(chunks), functions, bytes);
    RecordLayout none = RecordLayout.of(0, ArgumentCopies.NONE);
    return create(SharedFile.folders(), none, chunks, chunks, BufferMemory.of(0), tables, false, 0);
  }

  /**
   * Creates a session that grows: in memory if there is room, else in the temporary folder.
   *
   * @param chunks of 64 KiB at first, 2 to {@code most}; fewer if the limit is lower
   * @param most chunks of this session
   * @param memory limit of those of all sessions
   * @param throttles whether functions have cells
   * @param every of so many calls, the stack of one is sampled; 0: of none
   * @throws IOException if there is no room anywhere
   */
  public static SessionFile growing(
      RecordLayout its, int chunks, int most, BufferMemory memory, boolean throttles, int every)
      throws IOException {
    List<Path> folders = SharedFile.folders();
    return create(folders, its, chunks, most, memory, CallTables.NONE, throttles, every);
  }

  /** Creates a session in a folder that does not grow. */
  static SessionFile create(Path folder, int recordBytes, int chunks) throws IOException {
    return create(List.of(folder), recordBytes, chunks, chunks, BufferMemory.of(0));
  }

  /**
   * Creates a session in one of some folders.
   *
   * @param mostChunks limit of its growth
   * @throws IOException if there is no room
   */
  static SessionFile create(
      List<Path> folders, int recordBytes, int chunks, int mostChunks, BufferMemory memory)
      throws IOException {
    RecordLayout records = RecordLayout.of(recordBytes);
    return create(folders, records, chunks, mostChunks, memory, CallTables.NONE, false, 0);
  }

  private static SessionFile create(
      List<Path> folders,
      RecordLayout records,
      int chunks,
      int mostChunks,
      BufferMemory memory,
      CallTables tables,
      boolean throttles,
      int every)
      throws IOException {
    if (chunks < SessionLayout.FEWEST_CHUNKS || chunks > SessionLayout.CHUNK_RING) {
      throw new IllegalArgumentException(chunks + " chunks");
    }
    int first = memory.begin(chunks, SessionLayout.FEWEST_CHUNKS);
    SharedFile file;
    long end = tables.exist() ? tables.end() : at(mostChunks) + (throttles ? CELLS : 0);
    SamplePlaces samples = every == 0 ? SamplePlaces.NONE : new SamplePlaces(end, every);
    long size = end + (every == 0 ? 0 : SamplePlaces.BYTES);
    try {
      file = SharedFile.create(folders, "ntrail", size, at(first));
    } catch (IOException e) {
      memory.give(first);
      throw e;
    }
    SessionFile session =
        new SessionFile(
            file, records, mostChunks, memory, tables, throttles ? at(mostChunks) : 0, samples);
    file.setU32(SessionLayout.AT_MAGIC, SessionLayout.MAGIC);
    file.setU32(SessionLayout.AT_VERSION, SessionLayout.VERSION);
    file.setU32(SessionLayout.AT_RECORD_BYTES, records.bytes());
    session.add(first);
    try {
      session.samples.reserve();
    } catch (IOException e) {
      session.close();
      throw e;
    }
    session.grows();
    return session;
  }

  private void add(int more) {
    int from = chunks;
    chunks += more;
    file.setU32(SessionLayout.AT_CHUNKS, chunks);
    for (int chunk = from; chunk < chunks; chunk++) {
      offerChunk(chunk);
    }
  }

  private void grows() {
    file.setU32Release(SessionLayout.AT_GROWS, canGrow() ? 1 : 0);
  }

  /** Returns whether there may be more chunks. */
  boolean canGrow() {
    return chunks < mostChunks;
  }

  /**
   * Adds free chunks as far as there is memory for them; if there is none, it grows no more.
   *
   * @return how many
   * @throws IOException if there is no room
   */
  int grow(int more) throws IOException {
    int added = memory.take(Math.min(more, mostChunks - chunks));
    try {
      file.reserve(at(chunks), (long) added * SessionLayout.CHUNK_BYTES);
    } catch (IOException e) {
      memory.give(added);
      endGrowth();
      throw e;
    }
    add(added);
    if (added < more) {
      endGrowth();
    }
    grows();
    return added;
  }

  /** Notes that there will be no more chunks: threads wait for none. */
  void endGrowth() {
    mostChunks = chunks;
    grows();
  }

  /** Returns the cells of functions; there may be none. */
  public ThrottleCells cells() {
    return cells;
  }

  /** Returns the sampled stacks; there may be none. */
  public StackSamples samples() {
    return samples;
  }

  /** Returns the tables of calls; there may be none. */
  public CallTablePool tables() {
    return tables;
  }

  /** Returns the path of the file, for the agent to map. */
  public Path path() {
    return file.path();
  }

  /** Removes the name of the file if possible; the target has it mapped. */
  public void removeName() {
    file.removeName();
  }

  /** Returns the size of the file. */
  public long size() {
    return file.size();
  }

  /** Returns how many bytes of the file are in use so far, from its start. */
  public long reserved() {
    return at(chunks);
  }

  /** Returns size and content of records. */
  public RecordLayout records() {
    return records;
  }

  int pointerBytes() {
    return pointerBytes;
  }

  /** Returns the sources of the values of entries that are recorded for so many arguments. */
  List<Integer> argumentPlaces(int arguments) {
    return records.argumentPlaces(pointerBytes, arguments);
  }

  /** Sets the size of a pointer of the target, before it runs code of the session; 8 until then. */
  public void pointerBytes(int bytes) {
    pointerBytes = bytes;
  }

  /** Returns the number of chunks so far. */
  public int chunks() {
    return chunks;
  }

  /** Returns the number of chunks that it may have. */
  public int mostChunks() {
    return mostChunks;
  }

  /** Returns the number of records in a full chunk. */
  public int recordsPerChunk() {
    return SessionLayout.CHUNK_BYTES / records.bytes() - 1;
  }

  /** Sets whether unknown threads begin to be recorded; false at first. */
  public void enable(boolean enabled) {
    file.setU32Release(SessionLayout.AT_ENABLED, enabled ? 1 : 0);
  }

  /** Sets whether threads wait where no chunk is free; else they lose records, as at first. */
  public void waitWhenFull(boolean waits) {
    file.setU32Release(SessionLayout.AT_WHEN_FULL, waits ? 1 : 0);
  }

  /** Notes that the recorder looks for full chunks: threads wait for nobody else. */
  void drains() {
    drains = drains == -1 ? 1 : drains + 1;
    file.setU32Release(SessionLayout.AT_DRAINS, drains);
  }

  /** Notes that of the first so many full chunks all were read: threads wait for later ones. */
  void fullRead(long full) {
    if (full != fullRead) {
      fullRead = full;
      file.setU64Release(SessionLayout.AT_FULL_READ, full);
    }
  }

  /** Returns how often and how long threads waited for free chunks. */
  BufferWaits waits() {
    return new BufferWaits(
        file.u64Acquire(SessionLayout.AT_WAITS),
        file.u64Acquire(SessionLayout.AT_WAIT_TICKS),
        file.u64Acquire(SessionLayout.AT_LONGEST_WAIT));
  }

  /**
   * Adds the address of an area, which is not offered yet.
   *
   * @return its number
   * @throws IllegalStateException if there are 4,096
   */
  public synchronized int addArea(long address) {
    if (areas == SessionLayout.AREAS) {
      throw new IllegalStateException("there are " + areas + " areas");
    }
    file.setU64(SessionLayout.AT_AREA_ADDRESSES + 8L * areas, address);
    areas++;
    file.setU32Release(SessionLayout.AT_AREAS, areas);
    return areas - 1;
  }

  /**
   * Offers an area that no stack uses.
   *
   * @param number got from {@link #addArea}
   */
  public synchronized void offerArea(int number) {
    if (number < 0 || number >= areas) {
      throw new IllegalArgumentException("area " + number + " of " + areas);
    }
    int place = areasOffered & SessionLayout.AREAS - 1;
    file.setU32(SessionLayout.AT_AREA_RING + 4L * place, number);
    areasOffered++;
    file.setU32Release(SessionLayout.AT_AREAS_OFFERED, areasOffered);
  }

  /** Returns the number of free areas, 0 to 4,096, whatever the target wrote. */
  public synchronized int areasFree() {
    int free = areasOffered - file.u32Acquire(SessionLayout.AT_AREAS_TAKEN);
    return Math.clamp(free, 0, SessionLayout.AREAS);
  }

  /** Returns the number of calls that were not counted because no table was free. */
  public long noTable() {
    return file.u64Acquire(SessionLayout.AT_NO_TABLE);
  }

  /** Returns the number of calls recorded by their entry alone: their stack had no slot left. */
  public long deepEntries() {
    return file.u64Acquire(SessionLayout.AT_DEEP_ENTRIES);
  }

  /** Returns the number of calls recorded by their entry alone: their stack had no area. */
  public long entriesWithoutArea() {
    return file.u64Acquire(SessionLayout.AT_ENTRIES_WITHOUT_AREA);
  }

  /** Returns the number of passes through the slow path. */
  public long slowPasses() {
    return file.u64Acquire(SessionLayout.AT_SLOW_PASSES);
  }

  /** Returns how often all areas were searched for a stack. */
  public long searches() {
    return file.u64Acquire(SessionLayout.AT_SEARCHES);
  }

  /** Returns the number of threads that began to be recorded. */
  public long threadsBegun() {
    return file.u64Acquire(SessionLayout.AT_THREADS);
  }

  /** Returns the number of calls not recorded because the thread was just being given an area. */
  public long reentrant() {
    return file.u64Acquire(SessionLayout.AT_REENTRANT);
  }

  /** Returns the number of records lost for lack of chunks; at most a spill a thread too many. */
  public long lost() {
    return file.u64Acquire(SessionLayout.AT_LOST);
  }

  /** Returns the number of chunks that became full. */
  long full() {
    return file.u64Acquire(SessionLayout.AT_FULL);
  }

  /** Returns the number of chunks taken so far, modulo 2^32, as the target wrote it. */
  int chunksTaken() {
    return file.u32Acquire(SessionLayout.AT_CHUNKS_TAKEN);
  }

  /** Returns the number of free chunks; any number if the target wrote nonsense. */
  int chunksFree() {
    return chunksOffered - chunksTaken();
  }

  /** Returns the number of chunks offered so far, modulo 2^32. */
  int chunksOffered() {
    return chunksOffered;
  }

  /** Returns the chunk that was offered as the nth, of the last 65,536. */
  int offered(int n) {
    return chunkRing[n & SessionLayout.CHUNK_RING - 1];
  }

  /** Returns the notifications of modules. */
  public DllNotificationRing notices() {
    return notices;
  }

  /** Returns the requests of threads that are about to let another process run. */
  public ResumeRequests resumes() {
    return resumes;
  }

  /** Offers a chunk, which must be all zero. */
  void offerChunk(int chunk) {
    int place = chunksOffered & SessionLayout.CHUNK_RING - 1;
    chunkRing[place] = chunk;
    file.setU32(SessionLayout.AT_CHUNK_RING + 4L * place, chunk);
    chunksOffered++;
    file.setU32Release(SessionLayout.AT_CHUNKS_OFFERED, chunksOffered);
  }

  /** Clears a chunk. */
  void zero(int chunk) {
    file.zero(at(chunk), SessionLayout.CHUNK_BYTES);
  }

  /** Returns where a chunk begins. */
  private static long at(int chunk) {
    return (long) SessionLayout.CHUNK_BYTES * (SessionLayout.FIRST_CHUNK + chunk);
  }

  /** Returns the state of a chunk; what was written before it is visible afterwards. */
  int state(int chunk) {
    return file.u32Acquire(at(chunk) + SessionLayout.CHUNK_STATE);
  }

  int thread(int chunk) {
    return file.u32(at(chunk) + SessionLayout.CHUNK_THREAD);
  }

  long number(int chunk) {
    return file.u64(at(chunk) + SessionLayout.CHUNK_NUMBER);
  }

  long began(int chunk) {
    return file.u64(at(chunk) + SessionLayout.CHUNK_BEGAN);
  }

  long lost(int chunk) {
    return file.u64(at(chunk) + SessionLayout.CHUNK_LOST);
  }

  /**
   * Returns how many records of a chunk are whole, from one of them up to the first that is not.
   */
  int whole(int chunk, int from) {
    int most = recordsPerChunk();
    long at = at(chunk) + records.bytes() + SessionLayout.RECORD_META;
    int record = from;
    while (record < most && file.u32Acquire(at + (long) records.bytes() * record) != 0) {
      record++;
    }
    return record - from;
  }

  /** Copies records. */
  void copyRecords(int chunk, int from, int count, long[] target) {
    long at = at(chunk) + (long) records.bytes() * (1 + from);
    file.copyTo(at, target, 0, count * (records.bytes() / 8));
  }

  @Override
  public void close() {
    if (file.isOpen()) {
      memory.give(chunks);
    }
    file.close();
  }
}
