package io.ntrail.analysis.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.pe.PeHeaders;
import java.nio.file.Path;
import java.util.List;

/**
 * The file of an image: only one whose header has the time stamp and the size that were recorded.
 *
 * @param kinds see {@link Sought#kinds}
 */
public record SoughtImage(StoreKey key, ImageId id, List<String> kinds)
    implements Sought<OpenImage> {
  /** Copies the list. */
  public SoughtImage {
    kinds = List.copyOf(kinds);
  }

  @Override
  public OpenImage open(Path file, String member) {
    OpenImage open;
    try {
      open = OpenImage.open(file, member);
    } catch (DamagedInput e) {
      throw new CannotGoOn(file + " is no image: " + e.getMessage(), "");
    }
    PeHeaders headers = open.image().headers();
    if (headers.timestamp() == id.timestamp() && headers.sizeOfImage() == id.size()) {
      return open;
    }
    open.close();
    ImageId other = new ImageId(headers.timestamp(), headers.sizeOfImage());
    throw new CannotGoOn(
        "%s is of another build (%s, not %s)".formatted(file, other.key(), id.key()), "");
  }
}
