package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DataDirectory.Range;
import java.util.ArrayList;
import java.util.List;

/**
 * Certificates of an image (WIN_CERTIFICATE, directory 4), at the end of its file, after everything
 * that is mapped: {@code u32 length with these eight bytes, u16 revision, u16 type}, then the
 * content; the next one starts at a multiple of eight bytes.
 *
 * @param list in the order of the file; none for an image from memory
 * @param isWhole whether these are all that the headers name
 */
public record Certificates(List<Certificate> list, boolean isWhole) {
  /** WIN_CERT_TYPE_PKCS_SIGNED_DATA: a signature of the program. */
  public static final int PKCS_SIGNED_DATA = 2;

  private static final int HEADER = 8;
  private static final int MOST = 4096;
  private static final int MOST_BYTES = 1 << 30;

  /**
   * One certificate.
   *
   * @param offset its offset in the file
   * @param length its bytes, with the eight of its header
   * @param revision 100h or 200h
   */
  public record Certificate(long offset, long length, int revision, int type) {
    /** Returns its content; of a monstrous one as much as a window can hold. */
    public Bytes content(InputFile file) {
      return file.window(offset + HEADER, (int) Math.min(MOST_BYTES, length - HEADER));
    }
  }

  /** Reads the certificates of an image. */
  public static Certificates of(PeImage image) {
    Range range = image.directory(DataDirectory.CERTIFICATE);
    InputFile file = image.file().orElse(null);
    if (file == null || !range.isPresent() || range.size() == 0) {
      return new Certificates(List.of(), file != null);
    }
    List<Certificate> list = new ArrayList<>();
    long end = Math.min(range.rva() + range.size(), file.size());
    long at = range.rva();
    while (end - at >= HEADER && list.size() < MOST) {
      Bytes header = file.window(at, HEADER);
      long length = header.u32(0);
      if (length < HEADER || length > end - at) {
        break;
      }
      list.add(new Certificate(at, length, header.u16(4), header.u16(6)));
      at += length + 7 & -8L;
    }
    boolean isWhole = at >= range.rva() + range.size();
    if (!isWhole) {
      image.fileGap(
          Math.min(at, file.size()),
          range.rva() + range.size() - at,
          "certificates",
          end > at ? "not a certificate" : "the file ends inside the table");
    }
    return new Certificates(List.copyOf(list), isWhole);
  }
}
