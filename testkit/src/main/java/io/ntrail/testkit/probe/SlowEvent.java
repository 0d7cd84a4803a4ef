package io.ntrail.testkit.probe;

/**
 * Event that a random program looks at.
 *
 * @param first value of {@code arg0}
 * @param second value of {@code arg1}
 * @param name of the program, at most 14 characters
 */
public record SlowEvent(long first, long second, int process, int thread, String name) {}
