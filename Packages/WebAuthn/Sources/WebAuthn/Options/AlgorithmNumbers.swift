internal import COSE

extension CreationOptions {
    /// ``algorithms`` by their registered numbers, for callers that know nothing of COSE.
    public var algorithmNumbers: [Int] {
        get { algorithms.map(\.rawValue) }
        set { algorithms = newValue.map(COSEAlgorithm.init(rawValue:)) }
    }
}

extension IssuedRegistration {
    /// ``algorithms`` by their registered numbers, for callers that know nothing of COSE.
    public var algorithmNumbers: [Int] {
        get { algorithms.map(\.rawValue) }
        set { algorithms = newValue.map(COSEAlgorithm.init(rawValue:)) }
    }
}
