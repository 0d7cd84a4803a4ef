package io.ntrail.live.code;

/**
 * Addresses and sizes that the code of a session contains.
 *
 * @param block address of the runtime block, a multiple of {@link AreaGeometry#alignment}
 * @param control address of the session file in the target
 * @param chunks number of chunks that the session file may have
 * @param records size and content of records
 * @param cells address of the cells that say which functions are counted only; 0 = there are none
 * @param tables where calls are added up in place of records
 * @param samples where stacks are copied to
 * @param query address of NtQueryVirtualMemory, which says what memory can be copied; 0 = nothing
 *     is copied
 * @param read address of NtReadVirtualMemory, by which 32-bit code copies it; 0 where it is not
 *     needed
 */
public record SessionAddresses(
    long block,
    long control,
    int chunks,
    TlsSlots tls,
    RecordLayout records,
    long cells,
    CallTables tables,
    SamplePlaces samples,
    long query,
    long read) {}
