namespace Shop.Services.Storage;

public class MemoryRepository<T> : IRepository<T>
    where T : Entity
{
    private readonly Dictionary<int, T> entities = new();

    public T? Find(int id) => entities.GetValueOrDefault(id);

    public IEnumerable<T> All() => entities.Values;

    public void Save(T entity) => entities[entity.Id] = entity;
}
