package io.ntrail.formats.pt;

/** Reasons why bytes of a stream are not packets. */
public enum PacketError {
  /** They lie before the first PSB, where a ring was overwritten: nobody knows what they mean. */
  BEFORE_FIRST_PSB("before the first PSB"),
  /** No packet begins so. */
  UNKNOWN_PACKET("no packet begins so"),
  /** The size of the address is one of the reserved ones. */
  RESERVED_IP_SIZE("reserved size of an address"),
  /** The leaf of a MODE packet is reserved. */
  RESERVED_MODE("reserved leaf of MODE"),
  /** The size of a PTWRITE's operand is reserved. */
  RESERVED_PTW_SIZE("reserved size of an operand"),
  /** Reserved bits of a TMA are set. */
  RESERVED_TMA("reserved bits of TMA are set"),
  /** A long TNT has no branch. */
  NO_BRANCHES("TNT without a branch"),
  /** A PSB breaks off. */
  BROKEN_PSB("broken PSB"),
  /** A CYC does not end. */
  ENDLESS_CYC("CYC does not end"),
  /** The stream ends in the middle of a packet. */
  ENDS_EARLY("the stream ends in the middle of a packet");

  private final String text;

  PacketError(String text) {
    this.text = text;
  }

  /** Returns the reason in words. */
  public String text() {
    return text;
  }
}
