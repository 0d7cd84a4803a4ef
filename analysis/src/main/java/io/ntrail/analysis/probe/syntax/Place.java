package io.ntrail.analysis.probe.syntax;

/**
 * Place in the text of a program.
 *
 * @param line from 1
 * @param column from 1, in characters
 * @param length characters, from 0
 */
public record Place(int line, int column, int length) {
  /** Place that nothing is known of. */
  public static final Place NOWHERE = new Place(1, 1, 0);
}
