package io.ntrail.formats.schema;

/** Sources of schemas. */
public enum SchemaSource {
  /** The table of the kernel logger's events and of what a merge adds. */
  KERNEL("built-in kernel table"),
  /** The table of the .NET runtime's events. */
  CLR("built-in .NET runtime table"),
  /** A TRACE_EVENT_INFO that a merge put into the recording. */
  EVENT_METADATA("EventMetadata in the recording"),
  /** A manifest that an EventSource sent into the recording. */
  EVENT_SOURCE("EventSource manifest in the recording"),
  /** The event describes itself. */
  TRACE_LOGGING("TraceLogging, in the event"),
  /** An instrumentation manifest that the user gave. */
  MANIFEST("manifest file"),
  /** A TMF file that the user gave. */
  TMF("TMF file"),
  /** The flag of the record says that its payload is one text. */
  STRING_ONLY("string-only event");

  private final String text;

  SchemaSource(String text) {
    this.text = text;
  }

  /** In words. */
  public String text() {
    return text;
  }
}
