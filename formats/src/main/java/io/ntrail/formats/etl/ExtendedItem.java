package io.ntrail.formats.etl;

/**
 * The kinds of {@code EVENT_HEADER_EXTENDED_DATA_ITEM}: data that follows an {@code EVENT_HEADER}
 * before the payload. Each item is u16 total size, u16 type, u16 linkage (bit 0: another follows),
 * u16 data size, data, padding to 8.
 */
public enum ExtendedItem {
  // @formatter:off
  /** The GUID of the activity that this one belongs to. */
  RELATED_ACTIVITYID ( 1),
  /** SID of the user. */
  SID                ( 2),
  /** u32 terminal session. */
  TS_ID              ( 3),
  /** u32 instance, u32 parent instance, GUID of the parent's class. */
  INSTANCE_INFO      ( 4),
  /** u64 match id, u32 addresses, innermost first. */
  STACK_TRACE32      ( 5),
  /** u64 match id, u64 addresses, innermost first. */
  STACK_TRACE64      ( 6),
  /** u64. */
  PEBS_INDEX         ( 7),
  /** u64 each. */
  PMC_COUNTERS       ( 8),
  /** u64. */
  PSM_KEY            ( 9),
  /** u64. */
  EVENT_KEY          (10),
  /** TraceLogging: the event's own schema. */
  EVENT_SCHEMA_TL    (11),
  /** TraceLogging: name and traits of the provider. */
  PROV_TRAITS        (12),
  /** u64 that distinguishes processes whose ids are reused. */
  PROCESS_START_KEY  (13),
  /** GUID. */
  CONTROL_GUID       (14),
  /** u64. */
  QPC_DELTA          (15),
  /** GUID of the container. */
  CONTAINER_ID       (16),
  /** u64 match id, u32 key of a stack defined elsewhere. */
  STACK_KEY32        (17),
  /** u64 match id, u64 key of a stack defined elsewhere. */
  STACK_KEY64        (18);
  // @formatter:on

  private final int number;

  ExtendedItem(int number) {
    this.number = number;
  }

  /** {@code EVENT_HEADER_EXT_TYPE_*}. */
  public int number() {
    return number;
  }
}
