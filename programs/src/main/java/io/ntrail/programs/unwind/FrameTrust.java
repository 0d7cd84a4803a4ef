package io.ntrail.programs.unwind;

import java.util.Locale;

/** Way in which a frame of a stack was found, which says how far it can be trusted. */
public enum FrameTrust {
  /** Registers of the thread: of its context, or of the exception. */
  CONTEXT("registers of the thread"),
  /** Unwind data of the image, or the rule for functions that have none (x64). */
  UNWIND("unwind data of the image"),
  /** Frame data of a PDB: a program for each range of code (x86). */
  PROGRAM("frame program of the PDB"),
  /** FPO_DATA of an image or a PDB: sizes of a frame without a frame pointer (x86). */
  FPO("FPO data"),
  /** The chain of frame pointers. */
  FRAME("frame pointer"),
  /** A word of the stack that could be a return address. */
  SCAN("found by scanning the stack, may be wrong"),
  /** A machine frame or trap frame, as processor and kernel store them. */
  TRAP("trap frame"),
  /** A function without code of its own, added from the symbols of the frame below. */
  INLINE("added from the PDB"),
  /** A frame that was recorded as such. */
  RECORDED("walked when the event was recorded");

  private final String meaning;

  FrameTrust(String meaning) {
    this.meaning = meaning;
  }

  /** Returns the word for it, in lower case, as JSON and tables have it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns an explanation of the word for people: a noun phrase without an article. */
  public String meaning() {
    return meaning;
  }
}
