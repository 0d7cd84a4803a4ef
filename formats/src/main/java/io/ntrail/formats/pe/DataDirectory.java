package io.ntrail.formats.pe;

/** The data directories, in the order of the optional header. */
public enum DataDirectory {
  EXPORT,
  IMPORT,
  RESOURCE,
  EXCEPTION,
  /** The one whose address is an offset in the file. */
  CERTIFICATE,
  BASE_RELOCATION,
  DEBUG,
  ARCHITECTURE,
  GLOBAL_POINTER,
  TLS,
  LOAD_CONFIG,
  BOUND_IMPORT,
  IAT,
  DELAY_IMPORT,
  CLR,
  RESERVED;

  /**
   * Place of a directory.
   *
   * @param rva its RVA, for {@link #CERTIFICATE} its offset in the file; 0: there is none
   * @param size its bytes as stored
   */
  public record Range(long rva, long size) {
    /** Range of a directory that a header is too short for. */
    public static final Range NONE = new Range(0, 0);

    /** Returns true if the header has it. */
    public boolean isPresent() {
      return rva != 0;
    }

    /** Returns true if an RVA is inside. */
    public boolean contains(long address) {
      return address >= rva && address < rva + size;
    }
  }
}
