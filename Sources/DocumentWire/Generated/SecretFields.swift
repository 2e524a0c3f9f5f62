// DO NOT EDIT. Made by scripts/generate-protos.
// swift-format-ignore-file

/// Where messages hold what the protos mark as secret: for each message, paths of field numbers.
enum SecretFields {
    static let paths: [String: [[UInt64]]] = [
        "docent.model.v1.PromptAnswer": [[1, 2]],
        "docent.provider.v1.HostAnswer": [[2, 1, 2], [3, 2]],
        "docent.provider.v1.HostRequest": [[4, 2]],
        "docent.provider.v1.LoadSecretAnswer": [[2]],
        "docent.provider.v1.SessionSettings": [[2, 2]],
        "docent.provider.v1.StoreSecret": [[2]],
        "docent.service.v1.AccessBookmark": [[1]],
        "docent.service.v1.AddDomain": [[3, 2]],
        "docent.service.v1.BeginAccess": [[13]],
        "docent.service.v1.CreateBookmarkAnswer": [[1]],
        "docent.service.v1.Domain": [[3, 2]],
        "docent.service.v1.DomainStatus": [[1, 3, 2]],
        "docent.service.v1.ItemEvent": [[4, 3, 2]],
        "docent.service.v1.ListDomainsAnswer": [[1, 3, 2]],
        "docent.service.v1.NextEventsAnswer": [[1, 4, 3, 2]],
        "docent.service.v1.ResolveBookmark": [[1]],
        "docent.service.v1.ServiceAnswer": [[4, 1, 3, 2], [9, 1, 1, 3, 2], [34, 1, 4, 3, 2], [100, 1]],
        "docent.service.v1.ServiceRequest": [[20, 3, 2], [25, 2, 2], [40, 13], [101, 1], [102, 1], [103, 1], [106, 1]],
        "docent.service.v1.SignIn": [[2, 2]],
        "docent.service.v1.StartBookmark": [[1]],
        "docent.service.v1.StatusAnswer": [[1, 1, 3, 2]],
        "docent.service.v1.StopBookmark": [[1]],
        "docent.service.v1.ToolAnswer": [[2, 1, 2]],
    ]
}
