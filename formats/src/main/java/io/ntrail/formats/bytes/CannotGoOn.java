package io.ntrail.formats.bytes;

import java.util.List;

/**
 * Failure without an answer: with a message, its place and a next step for people, and a {@link
 * Reason} for programs. It never means a defect of ntrail; anything else that escapes does.
 */
public final class CannotGoOn extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Reason why there is no answer, where something depends on it. */
  public enum Reason {
    /** A file that was named does not exist. */
    NO_SUCH_FILE,
    /** A folder was named where a file is needed. */
    FOLDER,
    /** A pipe, a device or a socket was named where a file is needed. */
    SPECIAL_FILE,
    /** A file holds no bytes. */
    EMPTY,
    /** A file is of a kind that can be read here, and so damaged that it cannot. */
    DAMAGED,
    /** A file is not of a kind that can be read here; it may be one for another command. */
    OTHER_KIND,
    /** An archive holds no file, or several, where one is needed. */
    ARCHIVE_MEMBERS,
    /** More files were given than make one recording. */
    TOO_MANY_FILES,
    /** A file is to be written where one lies that is read. */
    INPUT_AS_OUTPUT,
    /** The files that were given are not parts of one recording. */
    NOT_TOGETHER,
    /** A condition compares a value with something of another type. */
    NOT_COMPARABLE,
    /** The user's rights or this system do not allow it, whatever the input. */
    NOT_POSSIBLE,
    /** The thread was interrupted. */
    INTERRUPTED,
    /** Any other, on which nothing depends. */
    OTHER
  }

  /**
   * End of a sentence that something is not there, where parts of the input could not be read: what
   * it says holds for the others.
   */
  public static final String AS_FAR_AS_READ = " in what could be read";

  private final String nextStep;
  private final Reason reason;
  private final String file;
  private final transient List<Gap> gaps;

  /**
   * Creates one for a reason on which nothing depends.
   *
   * @param message what happened and where, without the program's name
   * @param nextStep a command or a sentence that helps, without {@code try:}; may be empty
   */
  public CannotGoOn(String message, String nextStep) {
    this(Reason.OTHER, "", message, List.of(), nextStep);
  }

  private CannotGoOn(Reason reason, String file, String message, List<Gap> gaps, String nextStep) {
    super(message);
    this.nextStep = nextStep;
    this.reason = reason;
    this.file = file;
    this.gaps = List.copyOf(gaps);
  }

  /**
   * Returns the refusal of a file.
   *
   * @param file its name, as messages use it
   * @param message what happened and where
   * @param nextStep a command or a sentence that helps; may be empty
   */
  public static CannotGoOn of(Reason reason, String file, String message, String nextStep) {
    return new CannotGoOn(reason, file, message, List.of(), nextStep);
  }

  /**
   * Returns the refusal of a file that does not exist.
   *
   * @param similar a file with a similar name; empty if there is none
   */
  public static CannotGoOn noSuchFile(String file, String similar) {
    return new CannotGoOn(Reason.NO_SUCH_FILE, file, "no such file: " + file, List.of(), similar);
  }

  /**
   * Returns the failure to find something in an input. If parts of it could not be read, the
   * message says that it is not in the others, and no more.
   *
   * @param message what is not there and where, as it is if everything could be read
   * @param gaps what could not be read
   * @param nextStep a command or a sentence that helps if everything could be read; may be empty
   */
  public static CannotGoOn notFound(String message, List<Gap> gaps, String nextStep) {
    return gaps.isEmpty()
        ? new CannotGoOn(message, nextStep)
        : new CannotGoOn(Reason.OTHER, gaps.getFirst().file(), message + AS_FAR_AS_READ, gaps, "");
  }

  /** Returns the refusal of what this user's rights, this system or such a program do not allow. */
  public static CannotGoOn impossible(String message, String nextStep) {
    return new CannotGoOn(Reason.NOT_POSSIBLE, "", message, List.of(), nextStep);
  }

  /** Returns the end of a thread's work that another thread interrupted. */
  public static CannotGoOn interrupted() {
    return new CannotGoOn(Reason.INTERRUPTED, "", "interrupted", List.of(), "");
  }

  /** Reason why there is no answer. */
  public Reason reason() {
    return reason;
  }

  /** Name of the file that the reason is about; empty where it is not about a file. */
  public String file() {
    return file;
  }

  /** Returns what could not be read, and may hold what was not found; none if that is certain. */
  public List<Gap> gaps() {
    return gaps;
  }

  /**
   * Returns the gap that a member of an archive leaves which is refused for this, while others are
   * read.
   *
   * @param bytes its length; -1 if unknown
   */
  public Gap ofMember(String name, long bytes) {
    String message = message();
    String why = message.startsWith(name + " ") ? "it" + message.substring(name.length()) : message;
    return new Gap(name, 0, bytes, "compressed file", why);
  }

  /** Message for people: what happened and where. */
  public String message() {
    return String.valueOf(getMessage());
  }

  /** A command or a sentence that helps; empty if there is none. */
  public String nextStep() {
    return nextStep;
  }
}
