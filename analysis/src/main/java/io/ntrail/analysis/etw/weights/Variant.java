package io.ntrail.analysis.etw.weights;

/**
 * Kind of a metric that are never added together.
 *
 * @param number of the kind; -1 if kinds have no numbers
 * @param name as {@code --source} takes it
 * @param text as answers show it
 */
public record Variant(int number, String name, String text) {
  /** Only kind of a metric that has no kinds. */
  public static final Variant ONLY = new Variant(-1, "", "");

  // Written out: what a record makes of itself at run time costs milliseconds at every start.
  @Override
  public boolean equals(Object other) {
    return other instanceof Variant variant
        && variant.number == number
        && variant.name.equals(name)
        && variant.text.equals(text);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * number + name.hashCode()) + text.hashCode();
  }

  /** Returns whether a word of the user means it. */
  public boolean isMeant(String word) {
    return name.equalsIgnoreCase(word) || number >= 0 && word.equals(Integer.toString(number));
  }
}
