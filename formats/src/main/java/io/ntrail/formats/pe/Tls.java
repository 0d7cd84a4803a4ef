package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Thread-local storage (IMAGE_TLS_DIRECTORY): the initial content of each thread's copy, and the
 * callbacks that run before the entry point and whenever a thread starts or ends.
 *
 * <p>Four addresses, {@code u32} bytes of zeros, {@code u32} characteristics; the addresses are
 * VAs, here RVAs. Callbacks are addresses up to a null; a program may change them while it runs, so
 * an image in memory may have others than its file.
 *
 * @param begin RVA of the initial content
 * @param end past it
 * @param index RVA of the slot for the TLS index
 * @param callbacksRva of the list of callbacks, 0 if there is none
 * @param zeroFill bytes of zeros that follow the content in each copy
 * @param characteristics as stored; bits 20 to 23 are an alignment as in sections
 * @param callbacks RVAs, which may be outside the image
 */
public record Tls(
    long begin,
    long end,
    long index,
    long callbacksRva,
    long zeroFill,
    long characteristics,
    List<Long> callbacks) {
  private static final int MOST_CALLBACKS = 65_536;

  /** Reads that of an image; empty if it has none. */
  public static Optional<Tls> of(PeImage image) {
    Range range = image.directory(DataDirectory.TLS);
    return range.isPresent()
        ? image.reading("thread-local storage", range.rva(), () -> read(image, range.rva()))
        : Optional.empty();
  }

  private static Tls read(PeImage image, long at) {
    ImageView view = image.view();
    int word = image.headers().pointerBytes();
    long callbacks = image.rva(view.pointer(at + 3L * word, word));
    return new Tls(
        image.rva(view.pointer(at, word)),
        image.rva(view.pointer(at + word, word)),
        image.rva(view.pointer(at + 2L * word, word)),
        callbacks,
        view.u32(at + 4L * word),
        view.u32(at + 4L * word + 4),
        callbacks == 0
            ? List.of()
            : image.reading(
                "callbacks of thread-local storage",
                callbacks,
                List.of(),
                () -> callbacks(image, callbacks, word)));
  }

  private static List<Long> callbacks(PeImage image, long from, int word) {
    List<Long> callbacks = new ArrayList<>();
    ImageView view = image.view();
    try {
      for (long at = from; callbacks.size() < MOST_CALLBACKS; at += word) {
        long address = view.pointer(at, word);
        if (address == 0) {
          return List.copyOf(callbacks);
        }
        callbacks.add(image.rva(address));
      }
    } catch (DamagedInput _) {
      // The image ends before the list does, which is reported below.
    }
    image.gap(from, -1, "callbacks of thread-local storage", "their list is not terminated");
    return List.copyOf(callbacks);
  }
}
