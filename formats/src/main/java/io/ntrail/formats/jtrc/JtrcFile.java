package io.ntrail.formats.jtrc;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One {@code .jtrc}: its header, its images and the index of its chunks. Opening reads the header
 * of each chunk and the first record, nothing else; memory grows with the number of chunks.
 *
 * <p>Immutable after opening; any number of {@link JtrcCursor}s may walk it at once.
 */
public final class JtrcFile implements AutoCloseable {
  /** No chunk crosses a multiple of this many bytes. */
  static final int SEGMENT = 256 << 10;

  private static final int CHUNK_HEADER = 8;
  static final int TRACE_HEADER = 16;
  private static final int LEAST_IMAGE = 26;
  private static final int PAD = 0;
  private static final int IMAGE = 1;
  private static final int TRACE = 2;
  private static final int MOST_IMAGES = 1 << 16;

  private final InputFile input;
  private final JtrcHeader header;
  private final List<JtrcImage> images;
  private final List<JtrcClient> clients;
  private final int traceChunks;

  private JtrcFile(
      InputFile input,
      JtrcHeader header,
      List<JtrcImage> images,
      List<JtrcClient> clients,
      int traceChunks) {
    this.input = input;
    this.header = header;
    this.images = images;
    this.clients = clients;
    this.traceChunks = traceChunks;
  }

  /**
   * Opens a file.
   *
   * @param input closed with the returned file, or by this method if it fails
   * @param gaps receives the chunks that cannot be read
   * @throws DamagedInput if the header is not one, with the name that NTrace had for it
   */
  public static JtrcFile open(InputFile input, Gaps gaps) {
    try {
      gaps.register(input.name());
      JtrcHeader header = JtrcHeader.read(input);
      JtrcChunks chunks = new JtrcChunks();
      Set<JtrcImage> images = new LinkedHashSet<>();
      scan(input, gaps, chunks, images);
      return new JtrcFile(input, header, List.copyOf(images), chunks.clients(), chunks.count());
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private static void scan(InputFile input, Gaps gaps, JtrcChunks chunks, Set<JtrcImage> images) {
    long at = JtrcHeader.BYTES;
    while (at < input.size()) {
      long next;
      try {
        next = at + chunk(input, at, chunks, images, gaps);
      } catch (DamagedInput e) {
        next = Math.min(input.size(), (at / SEGMENT + 1) * SEGMENT);
        gaps.add(new Gap(input.name(), at, next - at, "chunk", e.what()));
      }
      // Chunks begin at multiples of 8, whatever they say of their size.
      at = next + 7 & ~7L;
    }
  }

  /** Reads a chunk and returns its length in bytes. */
  private static int chunk(
      InputFile input, long at, JtrcChunks chunks, Set<JtrcImage> images, Gaps gaps) {
    long left = input.size() - at;
    if (left < CHUNK_HEADER) {
      throw damaged(input, at, JtrcError.EOF, "the file ends inside the header of a chunk");
    }
    Bytes head = input.window(at, (int) Math.min(left, TRACE_HEADER + JtrcCursor.RECORD));
    int type = head.u16(0);
    long size = head.u32(4);
    if (type > TRACE) {
      throw damaged(input, at, JtrcError.UNRECOGNIZED_CHUNK_TYPE, "its type is " + type);
    }
    if (head.u16(2) != 0) {
      throw damaged(
          input, at, JtrcError.RESERVED_FIELDS_USED, "reserved bytes of its header are not 0");
    }
    int least = type == PAD ? CHUNK_HEADER : type == IMAGE ? LEAST_IMAGE : TRACE_HEADER;
    if (size < least) {
      throw damaged(input, at, JtrcError.TRUNCATED_CHUNK, "its size is " + size);
    }
    if (at % SEGMENT + size > SEGMENT) {
      throw damaged(
          input,
          at,
          JtrcError.CHUNK_STRADDLES_SEGMENT,
          "its " + size + " bytes cross a 256 KiB boundary");
    }
    if (size > left) {
      if (type == PAD) {
        // Writers put down the header and leave the rest to the next chunk, which never came.
        return (int) left;
      }
      throw damaged(
          input,
          at,
          JtrcError.EOF,
          "the file ends after " + left + " of the " + size + " bytes of a chunk");
    }
    if (type == TRACE) {
      int records = (int) (size - TRACE_HEADER) / JtrcCursor.RECORD;
      if (records > 0) {
        chunks.add(head.i32(8), head.i32(12), at, records, head.i64(TRACE_HEADER) >>> 4);
      }
    } else if (type == IMAGE) {
      image(input, at, (int) size, images, gaps);
    }
    return (int) size;
  }

  /** Reads an image; one that cannot be read does not affect the chunks after it. */
  private static void image(InputFile input, long at, int size, Set<JtrcImage> images, Gaps gaps) {
    try {
      JtrcImage image = JtrcImage.read(input.window(at, size));
      if (images.size() >= MOST_IMAGES && !images.contains(image)) {
        throw new DamagedInput(input.name(), at, "more than " + MOST_IMAGES + " different images");
      }
      // Told anew at the end of the list: the last image at an address is the one that counts.
      images.remove(image);
      images.add(image);
    } catch (DamagedInput e) {
      gaps.add(new Gap(input.name(), at, size, "image", e.what()));
    }
  }

  private static DamagedInput damaged(InputFile input, long at, JtrcError error, String found) {
    return new DamagedInput(input.name(), at, error.text(found));
  }

  /** Name for messages. */
  public String name() {
    return input.name();
  }

  /** Bytes of the file, after inflating an archive. */
  public long size() {
    return input.size();
  }

  /** Its header. */
  public JtrcHeader header() {
    return header;
  }

  /** Returns the images, each once, in the order of their last appearance. */
  public List<JtrcImage> images() {
    return images;
  }

  /** The threads, by the place of their first chunk in the file. */
  public List<JtrcClient> clients() {
    return clients;
  }

  /** Number of chunks with records. */
  public int traceChunks() {
    return traceChunks;
  }

  /** Returns the image that an address is in: the last one recorded. */
  public Optional<JtrcImage> imageAt(long address) {
    for (int i = images.size() - 1; i >= 0; i--) {
      if (images.get(i).contains(address)) {
        return Optional.of(images.get(i));
      }
    }
    return Optional.empty();
  }

  /**
   * Walks the records of a client in the order of its chunks.
   *
   * @param gaps receives records that are none; the same place is kept once
   */
  public JtrcCursor cursor(JtrcClient client, Gaps gaps) {
    return new JtrcCursor(this, client, gaps);
  }

  Bytes window(long offset, int length) {
    return input.window(offset, length);
  }

  @Override
  public void close() {
    input.close();
  }
}
